/* Stands in front of the OpenCL loader: after LOZENGE_TEST_LAUNCHES launches, kernels and waits answer as a device that is gone. Everything before
   that, and every other function, is the driver's. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

enum { DEVICE_NOT_AVAILABLE = -2 };

static long launches_left(void) {
    static long left = -1;
    if (left < 0) {
        const char *text = getenv("LOZENGE_TEST_LAUNCHES");
        left = text ? atol(text) + 1 : 1L << 40;
    }
    return left > 0 ? left-- : 0;
}

static int gone;

typedef int Launch(void *, void *, unsigned, const size_t *, const size_t *, const size_t *, unsigned, void *, void *);

int clEnqueueNDRangeKernel(void *queue, void *kernel, unsigned dimensions, const size_t *offset, const size_t *global, const size_t *local,
                           unsigned count, void *events, void *event) {
    if (launches_left() <= 1) gone = 1;
    if (gone) return DEVICE_NOT_AVAILABLE;
    Launch *real = (Launch *)dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel");
    return real(queue, kernel, dimensions, offset, global, local, count, events, event);
}

int clFinish(void *queue) {
    if (gone) return DEVICE_NOT_AVAILABLE;
    int (*real)(void *) = (int (*)(void *))dlsym(RTLD_NEXT, "clFinish");
    return real(queue);
}
