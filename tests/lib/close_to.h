/* lib/close_to: a figure that is about right, or the test fails. */
#ifndef RAWTPS_LIB_CLOSE_TO_H
#define RAWTPS_LIB_CLOSE_TO_H

/* Fails the test unless got lies within so many per cent of want. */
void close_to(const char *what, double got, double want, double percent);

#endif
