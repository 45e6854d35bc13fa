// What the compiler may see: the source and its own libraries. A configuration that leads elsewhere leads to nothing.

import path from 'node:path';

const MAX_BYTES = 4 * 1024 * 1024;

/** The file system as the compiler asks for it, inside some folders only. */
export function fence(ts, folders) {
  const inside = (file) => {
    const whole = path.resolve(file);
    return folders.some((folder) => whole === folder || whole.startsWith(`${folder}/`));
  };
  const { sys } = ts;
  const realpath = (file) => {
    const real = inside(file) ? sys.realpath(file) : file;
    return inside(real) ? real : file;
  };
  return {
    inside,
    useCaseSensitiveFileNames: true,
    fileExists: (file) => inside(file) && sys.fileExists(file),
    directoryExists: (folder) => inside(folder) && sys.directoryExists(folder),
    getDirectories: (folder) => (inside(folder) ? sys.getDirectories(folder) : []),
    realpath,
    readFile: (file) => (inside(file) && (sys.getFileSize?.(file) ?? 0) <= MAX_BYTES ? sys.readFile(file) : undefined),
    readDirectory: (folder, ...how) => (inside(folder) ? sys.readDirectory(folder, ...how).filter(inside) : []),
  };
}
