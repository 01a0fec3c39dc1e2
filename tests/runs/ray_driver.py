"""Run texts on a Ray cluster of two nodes and kill one. Arguments: the node to kill, a table, a run."""

from __future__ import annotations

import sys

import psutil
from ray.cluster_utils import Cluster

from barthes.errors import BarthesError
from barthes.runs.ray_run import run_on_ray
from tests.runs.counting_runs import PARTS, load_slow_reader


def main():
    victim, table, out = sys.argv[1:]
    options = {"num_cpus": 1, "object_store_memory": 80_000_000}
    cluster = Cluster(initialize_head=True, head_node_args={**options, "include_dashboard": False})
    nodes = [cluster.add_node(**options)]

    def kill(progress):
        if progress.done >= 6 and nodes:
            node = nodes.pop()
            if victim == "other":
                cluster.remove_node(node, allow_graceful=False)
            for process in psutil.Process().children(recursive=True) if victim == "head" else ():
                if "gcs_server" in process.name():
                    process.kill()

    try:
        settings = {"load": load_slow_reader, "cache": False, "workers": 2}
        run_on_ray([table], out, PARTS, address=cluster.address, progress=kill, **settings)
    except BarthesError as error:
        sys.exit(str(error))
    assert not nodes


if __name__ == "__main__":
    main()
