"""What the HTTP interface takes and gives, as its OpenAPI description tells it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from barthes.web.job import State

__all__ = [
    "JobView",
    "LimitsView",
    "MethodView",
    "ModelView",
    "Options",
    "Problem",
    "Progress",
    "ScoredView",
    "Unit",
]

Unit = Literal["sentence", "event"]


class Problem(BaseModel):
    """Why a request was refused."""

    detail: str = Field(description="What is wrong and what to do about it, in words for people.")


class MethodView(BaseModel):
    """A method that can be asked for."""

    name: str
    description: str
    needs_model: bool
    units: list[Unit]


class ModelView(BaseModel):
    """A language model that can be asked for."""

    name: str
    description: str
    state: Literal["here", "to be fetched"]
    megabytes: int | None = Field(description="To be downloaded, where it is not here.")


class LimitsView(BaseModel):
    """What is too much."""

    bytes: int
    sentences: int
    waiting: int
    seconds: float


class Options(BaseModel):
    """What there is to choose from; the first of each is the default."""

    version: str
    methods: list[MethodView]
    models: list[ModelView]
    languages: list[str]
    downloads: dict[str, str] = Field(description="Endings of results, and what they are.")
    limits: LimitsView


class JobView(BaseModel):
    """A job and how it stands."""

    id: str
    title: str
    method: str
    unit: str
    model: str | None
    language: str | None
    lines: bool
    chapter: int | None
    created: str
    state: State
    ended: str | None
    seconds: float | None = Field(description="How long the work took.")
    sentences: int | None
    problem: str | None
    notes: list[str]
    before: int = Field(description="How many jobs come before this one, while it waits.")
    downloads: dict[str, str] = Field(description="Where its results are, by ending; empty until finished.")


class ScoredView(BaseModel):
    """A sentence that has got its score."""

    index: int
    salience: float | None = Field(description="Nats per token; higher is more salient.")
    losses: list[float | None] = Field(description="What each later sentence that was read lost.")


class Progress(BaseModel):
    """How far a running job has come."""

    position: int = Field(description="Give it as `since` to get only what is new.")
    phase: str = Field(description="starting, reading, fetching, loading or scoring.")
    done: int
    total: int = Field(description="0 where it is not known.")
    seconds: float = Field(description="Since the phase began.")
    scored: list[ScoredView]
    scale: dict[str, float] | None = Field(description="Where shading begins (low) and is full (high).")
