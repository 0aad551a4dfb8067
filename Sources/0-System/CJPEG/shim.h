#pragma once
// libjpeg's header uses types from these headers without including them.
#include <stddef.h>
#include <stdio.h>
#include <jpeglib.h>
