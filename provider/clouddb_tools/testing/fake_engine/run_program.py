"""Runs a Pulumi program as the executor of the Python language host does. It is started as a script.

The one argument is JSON: monitor, engine, project, stack, organization, root_directory, parallel, dry_run, program.
"""

import asyncio
import json
import runpy
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor

THREADS_PER_PLACE = 4


def main() -> int:
    """Run the program in a stack, and report failures to the engine."""
    # This script's folder must not be importable: its modules would hide the program's and the standard library's.
    sys.path.pop(0)

    import pulumi

    options = json.loads(sys.argv[1])
    program = options.pop("program")
    pulumi.runtime.set_all_config(pulumi.runtime.get_config_env(), pulumi.runtime.get_config_secret_keys_env())
    pulumi.runtime.configure(pulumi.runtime.Settings(**options))
    sys.argv = [program]
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    threads = ThreadPoolExecutor(max_workers=options["parallel"] * THREADS_PER_PLACE)
    loop.set_default_executor(threads)
    loop.set_exception_handler(lambda _loop, _context: None)  # a failed program leaves unread futures
    try:
        loop.run_until_complete(pulumi.runtime.run_in_stack(lambda: _run(program)))
    except pulumi.RunError as error:
        pulumi.log.error(str(error))
    except Exception as error:  # noqa: BLE001 - programs can raise anything
        pulumi.log.error(f"Program failed with an unhandled exception:\n{_traceback(error)}")
    else:
        return 0
    finally:
        threads.shutdown(wait=True)
    return 1


def _run(program: str) -> None:
    runpy.run_path(program, run_name="__main__")


def _traceback(error: Exception) -> str:
    """Return the traceback from the program's first frame on, without those of runpy."""
    first = frame = error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_globals.get("__name__") == "runpy":
            first = frame.tb_next
        frame = frame.tb_next
    return "".join(traceback.format_exception(type(error), error, first))


if __name__ == "__main__":
    sys.exit(main())
