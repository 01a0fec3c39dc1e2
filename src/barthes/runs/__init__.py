"""Score many texts: inputs, result files, local processes, Ray, and export."""
