#include "DemoScores.h"
