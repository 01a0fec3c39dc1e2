"""The page and its files, read once and served from memory."""

from __future__ import annotations

import hashlib
from importlib.resources import files

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response

__all__ = ["make_pages"]

_KINDS = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}


def make_pages() -> APIRouter:
    """``/``, ``/jobs/ID`` and ``/static/…``; they hold nothing of any story, so they ask for no token."""
    router = APIRouter(include_in_schema=False)
    contents = {
        path.name: path.read_bytes() for path in (files("barthes.web") / "static").iterdir() if path.is_file()
    }
    contents["palette.css"] = (files("barthes.report.page") / "templates" / "palette.css").read_bytes()
    tags = {name: f'"{hashlib.sha256(content).hexdigest()[:20]}"' for name, content in contents.items()}

    def serve(name: str, request: Request) -> Response:
        kind = _KINDS.get(name.rpartition(".")[2])
        if name not in contents or kind is None:
            raise HTTPException(404, "There is no such page.")
        headers = {"ETag": tags[name], "Cache-Control": "no-cache"}
        if request.headers.get("if-none-match") == tags[name]:
            return Response(status_code=304, headers=headers)
        return Response(contents[name], media_type=kind, headers=headers)

    # Not in threads, as they wait for nothing: so they are there at once however many jobs are asked after.
    @router.get("/")
    async def get_home(request: Request) -> Response:
        return serve("home.html", request)

    @router.get("/jobs/{key}")
    async def get_job_page(key: str, request: Request) -> Response:
        return serve("job.html", request)

    @router.get("/favicon.ico")
    async def get_icon(request: Request) -> Response:
        return serve("icon.svg", request)

    @router.get("/static/{name}")
    async def get_static(name: str, request: Request) -> Response:
        return serve(name, request)

    return router
