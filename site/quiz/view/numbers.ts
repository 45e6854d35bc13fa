// Numbers as people read them.

export function bytes(count: number): string {
  if (count < 1e6) return `${Math.ceil(count / 1e3)} kB`;
  if (count < 1e9) return `${count < 1e7 ? (count / 1e6).toFixed(1) : Math.round(count / 1e6)} MB`;
  return `${(count / 1e9).toFixed(2)} GB`;
}

export function duration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(share === 0 || share === 1 ? 0 : 1)} %`;
}

/** Percentage points on either side. */
export function points(halfWidth: number): string {
  return `± ${Math.round(100 * halfWidth)}`;
}

export function range(low: number, high: number): string {
  return `${Math.round(100 * low)}–${Math.round(100 * high)} %`;
}

export function rate(perSecond: number | null): string {
  if (perSecond === null) return "–";
  return `${perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond)} tokens/s`;
}

export function count(amount: number, one: string, many = `${one}s`): string {
  return `${amount.toLocaleString("en")} ${amount === 1 ? one : many}`;
}

export function day(milliseconds: number): string {
  return new Date(milliseconds).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
