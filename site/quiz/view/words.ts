// What the page says, in one place.

import type { DerivedQuestion } from "../contract.ts";
import type { Phase, Trouble } from "../run/state.ts";

export const TIERS: Readonly<Record<number, string>> = {
  1: "explicit format",
  2: "phrased commitment",
  3: "quoted the choice",
  4: "weighted letter vote",
  5: "no answer found",
};

const RULES: Readonly<Record<string, string>> = {
  answer_line: "a line such as “ANSWER: C”",
  bold: "a letter in bold",
  boxed: "a letter in a box",
  bare: "a letter that stands alone, or with its own choice",
  answer_is: "“the answer is C”",
  i_choose: "“I choose C”",
  therefore: "“therefore C”",
  is_correct: "“option C is correct”",
  quoted_choice: "the text of one choice, more than of the others",
  quoted_words: "most of the distinctive words of one choice",
  letter_vote: "all letters it mentions, late ones weighing more",
  no_answer: "nothing in it settles on a letter",
};

/** How the letter was found. Rules for other languages say which one. */
export function ruleWords(rule: string): string {
  const language = /^answer_in_(\w+)$/.exec(rule)?.[1];
  if (language === undefined) return RULES[rule] ?? rule;
  return `the word for answer in ${language.charAt(0).toUpperCase()}${language.slice(1)}`;
}

export const FLAGS: Readonly<Record<string, string>> = {
  empty: "wrote nothing",
  truncated: "breaks off",
  from_reasoning: "found in its reasoning only",
  ran_on: "went on with an exam of its own, which is not read",
  changed_mind: "changed its mind; the last answer counts",
  letter_text_conflict: "letter and text disagree",
  hedged: "names several letters",
  placeholder: "left the placeholder in",
  homoglyph: "look-alike letter",
  negated: "says which one it is not",
  refused: "declined to answer",
  partly_read: "too long to be read whole; its middle was left out",
};

export const ANSWER_STATES: Readonly<Record<DerivedQuestion["state"], string>> = {
  answered: "answered",
  empty: "wrote nothing",
  refused: "declined to answer",
  hedged: "named several letters and chose none",
  cut_off: "cut off at 400 tokens before it came to an answer",
  no_answer_found: "no answer found",
};

export const GROUPS: Readonly<Record<string, string>> = { cs: "Computer science", engineering: "Engineering", math: "Mathematics", science: "Science" };

export const SOURCES: Readonly<Record<string, string>> = { own: "Benchwright’s own questions", mmlu: "MMLU (Hendrycks et al., 2021)" };

export const PHASES: Readonly<Record<Phase, string>> = {
  idle: "Ready",
  checking: "Checking this device",
  downloading: "Downloading the model",
  preparing: "Getting the model ready",
  running: "Running",
  paused: "Paused",
  finished: "Finished",
  shared: "Finished and shared",
  failed: "Could not go on",
  cancelled: "Cancelled",
  interrupted: "Interrupted",
};

interface Advice {
  what: string;
  then: string;
}

export const TROUBLES: Readonly<Record<Trouble, Advice>> = {
  no_webgpu: { what: "WebGPU is not available here.", then: "Choose the model that runs on the processor." },
  no_f16: { what: "This build needs half precision (shader-f16), which this adapter or browser does not offer.", then: "Choose a build whose name has f32 in it." },
  out_of_memory: { what: "There was not enough memory for this model.", then: "Close other tabs, or choose a smaller model. Everything it held has been freed." },
  device_lost: { what: "The graphics device was lost, several times. That mostly means that its memory was full.", then: "Choose a smaller model, or continue: the questions that were lost are asked again." },
  quota: { what: "The browser refused to store the model: its storage is full, or this is a private window.", then: "Remove stored models below, or choose a smaller one." },
  network: { what: "The connection broke, and trying again did not help.", then: "What has arrived is kept. Look at your connection and try again." },
  not_found: { what: "The model’s files are not where they should be.", then: "Choose another model. The operator of this site may have to fetch the weights again." },
  wrong_file: { what: "The file is not what it should be, or no engine here can read it.", then: "If it came from your disk, check that it is a complete GGUF file." },
  unsupported: { what: "This browser or engine cannot run this model.", then: "Try another model, or a current browser." },
  blocked: { what: "The page may not connect to where this model’s files are.", then: "Choose the model again: its hosts are allowed when it stands in the page’s address." },
  silent: { what: "The engine said nothing for minutes, and loading it again did not help.", then: "Continue, or choose a smaller model." },
  crashed: { what: "The engine broke, and loading it again did not help.", then: "Continue, or choose another model. What was answered is kept." },
  aborted: { what: "It was called off.", then: "Continue whenever you like." },
  no_questions: { what: "The site gave out no questions.", then: "Wait a little and try again." },
  other_tab: { what: "A run is going on in another tab.", then: "Only one runs at a time, because two would make each other slow. Finish or cancel that one first." },
};
