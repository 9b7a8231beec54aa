/* SPDX-License-Identifier: BSD-2-Clause */
/* A stand-in for NVRTC: compiles programs with this machine's C++ compiler and a dialect for the processor in place of
 * CUDA's. Only the fake driver can load the images. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/cuda/nvrtc_api.h"
#include "emulation.h"
#include "nvrtc_gate.h"
#include "sweep/fault.h"

#define EXPORT __attribute__((visibility("default")))
#define EXPORT_FUNCTION(member, name, parameters) EXPORT nvrtc_result name parameters;
NVRTC_FUNCTIONS(EXPORT_FUNCTION)
EXPORT const char *nvrtcGetErrorString(nvrtc_result result);

EXPORT fault_plan *emulated_nvrtc_faults(void);

extern char **environ;

/* Calls that are made to fail return OUT_OF_MEMORY. */
static fault_plan faults;
fault_plan *emulated_nvrtc_faults(void) { return &faults; }
__attribute__((constructor)) static void begin(void) { fault_arm_from(&faults, "SCANRT_FAULT_NVRTC"); }
__attribute__((destructor)) static void end(void) { fault_report(&faults); }

#define ENTER()                                                                                                        \
  do {                                                                                                                 \
    if (fault_is_due(&faults, __func__)) return OUT_OF_MEMORY;                                                         \
  } while (0)

enum { OUT_OF_MEMORY = 1, INVALID_INPUT = 3, COMPILATION = 6, ARCHITECTURES = 3 };
static const int architectures[ARCHITECTURES] = { 75, 80, 90 };

struct _nvrtcProgram {
  char folder[512], name[32]; /* name: the first header's */
  char *log, *image;
  size_t log_bytes, image_bytes;
};

/* ---- files ---- */

static int file_path(char path[640], const struct _nvrtcProgram *p, const char *name) {
  return snprintf(path, 640, "%s/%s", p->folder, name) < 640;
}

static int file_put(const struct _nvrtcProgram *p, const char *name, const char *text) {
  char path[640];
  FILE *file = file_path(path, p, name) ? fopen(path, "w") : NULL;
  if (file == NULL) return 0;
  const int wrote = fputs(text, file) >= 0;
  return (fclose(file) == 0) & wrote;
}

/* Writes a header of the program behind the emulation's dialect, whose guard disables CUDA's dialect in it. */
static int header_put(const struct _nvrtcProgram *p, const char *name, const char *text) {
  static const char dialect[] = "#include \"dialect.h\"\n";
  char *whole = malloc(sizeof dialect + strlen(text));
  if (whole == NULL) return 0;
  sprintf(whole, "%s%s", dialect, text);
  const int wrote = file_put(p, name, whole);
  free(whole);
  return wrote;
}

/* Reads a file behind `before` unused bytes; the caller frees the memory. */
static char *file_get(const struct _nvrtcProgram *p, const char *name, size_t before, size_t *bytes) {
  char path[640], *text = NULL;
  FILE *file = file_path(path, p, name) ? fopen(path, "rb") : NULL;
  if (file == NULL) return NULL;
  const long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  if (end >= 0) text = calloc(before + (size_t)end + 1, 1);
  rewind(file);
  if (text != NULL && fread(text + before, 1, (size_t)end, file) != (size_t)end) {
    free(text);
    text = NULL;
  }
  fclose(file);
  *bytes = (size_t)end;
  return text;
}

/* Removes the program's folder and the files in it. */
static void folder_remove(const struct _nvrtcProgram *p) {
  char path[640];
  DIR *folder = opendir(p->folder);
  if (folder == NULL) return;
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
    if (entry->d_name[0] != '.' && file_path(path, p, entry->d_name)) (void)unlink(path);
  closedir(folder);
  (void)rmdir(p->folder);
}

/* ---- programs ---- */

nvrtc_result nvrtcCreateProgram(nvrtc_program *program, const char *text, const char *name, int count,
                                const char *const *texts, const char *const *names) {
  ENTER();
  const char *temporary = getenv("TMPDIR");
  nvrtc_program p = calloc(1, sizeof *p);
  (void)name;
  if (p == NULL) return OUT_OF_MEMORY;
  if (count > 0) snprintf(p->name, sizeof p->name, "%s", names[0]);
  snprintf(p->folder, sizeof p->folder, "%s/emulated-nvrtc-XXXXXX",
           temporary != NULL && temporary[0] != '\0' ? temporary : "/tmp");
  int whole = mkdtemp(p->folder) != NULL && file_put(p, "program.cc", text);
  for (int i = 0; i < count && whole; i++) whole = header_put(p, names[i], texts[i]);
  *program = p;
  if (!whole) fprintf(stderr, "emulated NVRTC: %s: %s\n", p->folder, strerror(errno));
  return whole ? 0 : INVALID_INPUT;
}

nvrtc_result nvrtcDestroyProgram(nvrtc_program *program) {
  ENTER();
  folder_remove(*program);
  free((*program)->log);
  free((*program)->image);
  free(*program);
  *program = NULL;
  return 0;
}

/* ---- compiling ---- */

/* Options of the C++ compiler, without file names. An operator's text precedes all headers and may use what NVRTC
 * declares. Undefined shifts and the like are left to the tests that run it. A misaligned access, which a GPU refuses,
 * ends the program. */
static const char *const flags[] = { "-x",
                                     "c++",
                                     "-std=c++17",
                                     "-w",
                                     "-shared",
                                     "-fPIC",
                                     "-fvisibility=hidden",
                                     "-fno-strict-aliasing",
                                     "-fwrapv",
                                     "-ffp-contract=off",
                                     "-fno-exceptions",
                                     "-fno-rtti",
                                     "-fdiagnostics-color=never",
                                     "-fsanitize=alignment",
                                     "-fsanitize-undefined-trap-on-error",
                                     "-D__CUDACC__=1",
                                     "-D__device__=",
                                     "-D__forceinline__=inline",
                                     "-I",
                                     EMULATED_CUDA_FOLDER };
enum { FLAGS = sizeof flags / sizeof flags[0] };

/* Returns $EMULATED_CUDA_LEVEL, or -O1. -O0 halves the compile time for tests of many programs with little work. */
static const char *level(void) {
  const char *given = getenv("EMULATED_CUDA_LEVEL");
  return given != NULL ? given : "-O1";
}

/* Adds the test hook of $EMULATED_CUDA_WITHHOLD (test_hooks.h) and a limit of few polls. */
static int add_schedule(const char **arguments, int used, char withholds[48]) {
  const char *given = getenv("EMULATED_CUDA_WITHHOLD");
  if (given == NULL) return used;
  snprintf(withholds, 48, "-DSCAN_TEST_WITHHOLD=%.8s", given);
  arguments[used++] = withholds;
  arguments[used++] = "-DSCAN_TEST_SPIN_LIMIT=50";
  return used;
}

/* Returns the exit status of the compiler, or -1 if it did not run. Its messages go to the file "log". */
static int run_compiler(const struct _nvrtcProgram *p, char *const *arguments) {
  char path[640];
  posix_spawn_file_actions_t files;
  pid_t child;
  int status = -1;
  if (!file_path(path, p, "log") || posix_spawn_file_actions_init(&files) != 0) return -1;
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  const int failed = posix_spawnp(&child, arguments[0], &files, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) return -1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Rewrites places as NVRTC prints them: "operator:4:12: error" becomes "operator(4): error". */
static void report_as_nvrtc(char *log) {
  char *to = log;
  for (char *line = log; *line != '\0';) {
    char *end = strchr(line, '\n'), *colon = strchr(line, ':');
    const size_t bytes = end != NULL ? (size_t)(end - line) + 1 : strlen(line);
    unsigned number, column;
    int used = 0;
    if (colon != NULL && colon < line + bytes && sscanf(colon, ":%u:%u%n", &number, &column, &used) == 2) {
      memmove(to, line, (size_t)(colon - line));
      to += colon - line;
      to += sprintf(to, "(%u)", number); /* never longer than the text that it replaces */
      memmove(to, colon + used, bytes - (size_t)(colon - line) - (size_t)used);
      to += bytes - (size_t)(colon - line) - (size_t)used;
    } else {
      memmove(to, line, bytes);
      to += bytes;
    }
    line += bytes;
  }
  *to = '\0';
}

static nvrtc_result read_image(nvrtc_program p) {
  size_t bytes = 0;
  p->image = file_get(p, "program.so", sizeof(emulated_image), &bytes);
  if (p->image == NULL) return COMPILATION;
  const emulated_image head = { EMULATED_MAGIC, bytes };
  memcpy(p->image, &head, sizeof head);
  p->image_bytes = sizeof head + bytes;
  return 0;
}

static nvrtc_result compile(nvrtc_program p, int count, const char *const *options) {
  char text[640], library[640], architecture[40] = "-D__CUDA_ARCH__=750", withholds[48];
  const char *arguments[FLAGS + 10] = { EMULATED_CUDA_COMPILER };
  int used = 1, is_quick = 0;
  for (int i = 0; i < count; i++) {
    const char *under = strchr(options[i], '_');
    is_quick |= strncmp(options[i], "--Ofast-compile=", 16) == 0;
    if (strncmp(options[i], "--gpu-architecture=", 19) == 0 && under != NULL)
      snprintf(architecture, sizeof architecture, "-D__CUDA_ARCH__=%.8s0", under + 1);
  }
  if (!file_path(text, p, "program.cc") || !file_path(library, p, "program.so")) return INVALID_INPUT;
  for (int i = 0; i < FLAGS; i++) arguments[used++] = flags[i];
  arguments[used++] = is_quick && getenv("EMULATED_CUDA_LEVEL") == NULL ? "-O0" : level();
  arguments[used++] = architecture;
  used = add_schedule(arguments, used, withholds);
  arguments[used++] = "-o";
  arguments[used++] = library;
  arguments[used++] = text;
  const int status = run_compiler(p, (char *const *)arguments);
  free(p->log);
  p->log = file_get(p, "log", 0, &p->log_bytes);
  if (p->log != NULL) report_as_nvrtc(p->log);
  return status == 0 ? read_image(p) : COMPILATION;
}

nvrtc_result nvrtcCompileProgram(nvrtc_program p, int count, const char *const *options) {
  ENTER();
  const nvrtc_result result = nvrtc_gate_enter(p->name) ? compile(p, count, options) : COMPILATION;
  nvrtc_gate_leave();
  return result;
}

/* ---- results ---- */

/* Returns $EMULATED_NVRTC_BYTES, a false size for logs and images, or else `bytes`. */
static size_t known(size_t bytes) {
  const char *given = getenv("EMULATED_NVRTC_BYTES");
  return given != NULL ? (size_t)strtoull(given, NULL, 0) : bytes;
}

nvrtc_result nvrtcVersion(int *major, int *minor) {
  ENTER();
  *major = 13;
  *minor = 99; /* no real one's, whose images the cache may hold */
  return 0;
}

nvrtc_result nvrtcGetNumSupportedArchs(int *count) {
  ENTER();
  *count = ARCHITECTURES;
  return 0;
}

nvrtc_result nvrtcGetSupportedArchs(int *all) {
  ENTER();
  memcpy(all, architectures, sizeof architectures);
  return 0;
}

nvrtc_result nvrtcGetProgramLogSize(nvrtc_program p, size_t *bytes) {
  ENTER();
  *bytes = known(p->log != NULL ? strlen(p->log) + 1 : 1);
  return 0;
}

nvrtc_result nvrtcGetProgramLog(nvrtc_program p, char *log) {
  ENTER();
  strcpy(log, p->log != NULL ? p->log : "");
  return 0;
}

nvrtc_result nvrtcGetCUBINSize(nvrtc_program p, size_t *bytes) {
  ENTER();
  *bytes = known(p->image_bytes);
  return p->image != NULL ? 0 : INVALID_INPUT;
}

nvrtc_result nvrtcGetCUBIN(nvrtc_program p, char *image) {
  ENTER();
  if (p->image == NULL) return INVALID_INPUT;
  memcpy(image, p->image, p->image_bytes);
  return 0;
}

/* PTX, which is asked for a device newer than all known ones, is the same image. */
nvrtc_result nvrtcGetPTXSize(nvrtc_program p, size_t *bytes) { return nvrtcGetCUBINSize(p, bytes); }
nvrtc_result nvrtcGetPTX(nvrtc_program p, char *image) { return nvrtcGetCUBIN(p, image); }

const char *nvrtcGetErrorString(nvrtc_result result) {
  switch (result) {
  case 0: return "NVRTC_SUCCESS";
  case OUT_OF_MEMORY: return "NVRTC_ERROR_OUT_OF_MEMORY";
  case INVALID_INPUT: return "NVRTC_ERROR_INVALID_INPUT";
  case COMPILATION: return "NVRTC_ERROR_COMPILATION";
  default: return "NVRTC_ERROR_UNKNOWN";
  }
}
