#pragma once
// libjpeg's header names what these declare, and does not include them.
#include <stddef.h>
#include <stdio.h>
#include <jpeglib.h>
