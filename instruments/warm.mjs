// Uses a tool once, as a run does, and ends as programs should: then Node keeps what it compiled on the way (NODE_COMPILE_CACHE).
// `node warm.mjs lint|types|lighthouse FOLDER`; setup.mjs calls it.

const uses = {
  lint: async (folder) => (await import('./source/lint.mjs')).lintFolder(folder),
  types: async (folder) => (await import('./source/types.mjs')).checkFolder(folder, false, new Set()),
  lighthouse: async () => (await import('./lighthouse/role.mjs')).methods.warm(),
};

const [tool, folder] = process.argv.slice(2);
await uses[tool](folder);
