"""`python -m barthes` is the `barthes` command."""

from barthes.cli.main import main

if __name__ == "__main__":
    main()
