// This header declares nothing: the target acts when the process starts.
