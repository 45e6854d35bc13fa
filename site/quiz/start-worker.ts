// Starts one of our workers.

/**
 * From a blob that imports it, so that the worker is under the page's own policy: what the page may not connect to, neither may the worker.
 */
export function startWorker(file: string): Worker {
  const address = new URL(file, import.meta.url).href;
  const code = new Blob([`import ${JSON.stringify(address)};`], { type: "text/javascript" });
  const blob = URL.createObjectURL(code);
  const worker = new Worker(blob, { type: "module" });
  // It is fetched by then; the address is not needed again.
  worker.addEventListener("message", () => URL.revokeObjectURL(blob), { once: true });
  return worker;
}
