// This header declares nothing, because the target's code runs by itself when the process starts.
