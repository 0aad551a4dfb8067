#pragma once
#include <poppler-config.h>
