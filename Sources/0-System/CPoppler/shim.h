#pragma once
#include <cairo-pdf.h>
#include <cairo.h>
#include <poppler.h>
