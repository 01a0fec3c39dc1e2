"""The commands of the lab, which `barthes` finds as plugins."""
