/* Stands in front of the OpenCL loader: after LOZENGE_TEST_LAUNCHES launches, kernels and waits answer as a device that is gone. Everything before
   that, and every other function, is the driver's. Compiling may end the process, as drivers do. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
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

/* Ends the process as LOZENGE_TEST_END says, where the driver would compile. */
int clBuildProgram(void *program, unsigned count, const void *devices, const char *options, void *notify, void *data) {
    const char *end = getenv("LOZENGE_TEST_END");
    if (end && *end == 'e') exit(1);
    if (end && *end == 'a') abort();
    if (end && *end == 's') raise(SIGSEGV);
    int (*real)(void *, unsigned, const void *, const char *, void *, void *) =
        (int (*)(void *, unsigned, const void *, const char *, void *, void *))dlsym(RTLD_NEXT, "clBuildProgram");
    return real(program, count, devices, options, notify, data);
}
