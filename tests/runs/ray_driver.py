"""Run texts on a Ray cluster of two machines and kill one. Arguments: the one to kill, a table, a run."""

from __future__ import annotations

import sys
from dataclasses import replace

import psutil
from ray.cluster_utils import Cluster

from barthes.errors import BarthesError
from barthes.runs.corpus_run import run_corpus
from barthes.runs.ray_pool import RayPool
from tests.runs.counting_runs import SETTINGS, load, load_fatal, load_slow


def main():
    victim, table, out = sys.argv[1:]
    options = {"num_cpus": 1, "object_store_memory": 80_000_000, "memory": 2_000_000_000}
    cluster = Cluster(initialize_head=True, head_node_args={**options, "include_dashboard": False})
    nodes = [cluster.add_node(**options)]

    def kill(progress):
        if progress.done >= 4 and nodes and victim != "none":
            node = nodes.pop()
            if victim == "other":
                cluster.remove_node(node, allow_graceful=False)
            for process in psutil.Process().children(recursive=True) if victim == "head" else ():
                if "gcs_server" in process.name():
                    process.kill()

    loading = {"none": load_fatal}.get(victim, load_slow)
    try:
        pool = RayPool(SETTINGS, cluster.address, load=loading)
        print(pool.size, run_corpus([table], out, SETTINGS, pool=pool, progress=kill))
        if victim == "none":
            few = RayPool(replace(SETTINGS, methods=("length",)), cluster.address, workers=1, load=load)
            print(few.size)
            RayPool(SETTINGS, cluster.address, threads=8)
    except BarthesError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
