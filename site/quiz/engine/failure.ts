// Why an engine could not do what it was asked. The page says each in plain words and offers what may help.

export type Reason =
  | "no_webgpu"
  | "no_f16"
  | "out_of_memory"
  | "device_lost"
  | "quota"
  | "network"
  | "not_found"
  | "wrong_file"
  | "unsupported"
  | "blocked"
  | "silent"
  | "crashed"
  | "aborted";

export class EngineFailure extends Error {
  readonly reason: Reason;

  constructor(reason: Reason, message: string) {
    super(message);
    this.name = "EngineFailure";
    this.reason = reason;
  }
}

/** What engines and browsers are known to say, most telling first. */
const SIGNS: readonly (readonly [RegExp, Reason])[] = [
  [/AbortError|aborted by|operation aborted|the user aborted/i, "aborted"],
  [/QuotaExceeded|quota/i, "quota"],
  [/device (was |is )?lost|DeviceLost|device has been lost|DXGI_ERROR|VK_ERROR_DEVICE_LOST/i, "device_lost"],
  [/out of memory|OutOfMemory|\bOOM\b|cannot allocate|failed to allocate|bad_alloc|Array buffer allocation failed|memory access out of bounds|could not allocate/i, "out_of_memory"],
  [/shader-f16|ShaderF16|FeatureSupport/i, "no_f16"],
  [/WebGPUNot|WebGPU is not|no (webgpu |gpu )?adapter|Cannot find WebGPU|Unable to find a compatible GPU/i, "no_webgpu"],
  [/Content Security Policy|violates the following/i, "blocked"],
  [/IntegrityError|CompileError|sha-?256|invalid magic|not a gguf|failed to load model|tensor .* (is )?(missing|out of bounds|not found)|data is not within the file bounds/i, "wrong_file"],
  [/\b404\b|ModelNotFound|not found in appConfig|HTTP 404/i, "not_found"],
  [/Failed to fetch|NetworkError|network error|Load failed|ERR_|HTTP \d|Cache\.add|'add' on 'Cache'|net::/i, "network"],
  [/does not support|unsupported|unknown (model )?architecture|SharedArrayBuffer/i, "unsupported"],
];

/** The failure behind whatever was thrown. Names are read as well: messages differ between browsers. */
export function failureFrom(thrown: unknown): EngineFailure {
  if (thrown instanceof EngineFailure) return thrown;
  const said = describe(thrown);
  const sign = SIGNS.find(([pattern]) => pattern.test(said));
  return new EngineFailure(sign ? sign[1] : "crashed", said);
}

function describe(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.name === "Error" ? thrown.message : `${thrown.name}: ${thrown.message}`;
  if (typeof thrown === "string") return thrown;
  if (typeof thrown === "object" && thrown !== null && "message" in thrown) return String(thrown.message);
  return String(thrown);
}

/** What the reader sees while a broken download waits for its next try. */
export function tryingAgain(attempt: number, most: number, waitMs: number): string {
  return `The connection broke. Trying again in ${waitMs / 1000} s (${attempt} of ${most}).`;
}

/** Whether loading the engine anew may help with it. */
export function worthAnotherTry(reason: Reason): boolean {
  return reason === "device_lost" || reason === "silent" || reason === "crashed";
}
