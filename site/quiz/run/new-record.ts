// The record a run begins with.

import type { Catalogue, ModelUnderTest, Protocol, Source, Template } from "../contract.ts";
import type { DeviceFacts } from "../engine/device.ts";
import type { Chosen, Loaded } from "../engine/engine.ts";
import { RECORD_FORMAT, type RunRecord } from "./record.ts";

/** An id that nobody else has. Addresses of a local network have no `crypto.randomUUID`: over plain http only this machine's have it. */
export const newId = (): string => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

export interface Beginning {
  id: string;
  now: number;
  chosen: Chosen;
  protocol: Protocol;
  share: boolean;
  loaded: Loaded;
  catalogue: Catalogue;
  device: DeviceFacts;
  extractor: number;
  app: string;
}

export function newRecord({ id, now, chosen, protocol, share, loaded, catalogue, device, extractor, app }: Beginning): RunRecord {
  // A visitor's file may be one of the catalogue's: its hash knows.
  const known = chosen.kind === "catalogue" ? chosen.model : catalogue.models.find(({ sha256 }) => sha256 !== null && sha256 === loaded.fileSha256);
  const name = chosen.kind === "file" ? chosen.name : chosen.model.name;
  const model: ModelUnderTest = {
    catalogue_id: known?.id ?? null,
    custom_name: known ? null : name,
    quantisation: known?.quantisation ?? quantisationIn(name),
    file_sha256: loaded.fileSha256,
  };
  const template: Template = { system_in_user: known?.system_in_user ?? loaded.systemInUser ?? false, thinking: false };
  return {
    format: RECORD_FORMAT,
    id,
    started_at: now,
    model_name: known?.name ?? name,
    model,
    protocol,
    template,
    engine: loaded.used,
    device: device.shared,
    extractor,
    app,
    self_test: "not_run",
    share,
    finished: false,
    remarks: [...loaded.remarks],
    parts: [],
  };
}

/** As names of GGUF files say it. */
export function quantisationIn(name: string): string {
  return /(?:^|[^a-z0-9])(i?q\d(?:_[a-z0-9]+)*|bf16|f16|f32)(?![a-z0-9])/i.exec(name)?.[1]?.toLowerCase() ?? "unknown";
}

/** Where a run's questions come from. */
export function sourceOf(record: RunRecord): Source {
  const [part] = record.parts;
  return part?.quick?.source ?? (part?.set?.startsWith("mmlu") ? "mmlu" : "own");
}
