import { z } from 'zod';

/** The JSON Lines of BIP 329. */

/** Lines of one request: each takes some queries. */
export const LABEL_LINES_MAX = 2_000;
/** The length that the BIP suggests, in code points. */
const LABEL_START = /^.{0,255}/su;
const REF_MAX = 256;

const record = z.object({
  type: z.string(),
  ref: z.string().min(1).max(REF_MAX),
  label: z.string().nullish(),
  spendable: z.boolean().nullish(),
});

/** A record of a line; undefined fields leave the stored values as they are. */
export interface LabelLine {
  readonly line: number;
  readonly type: string;
  readonly ref: string;
  readonly label: string | undefined;
  readonly spendable: boolean | undefined;
  readonly isTruncated: boolean;
}

export interface UnreadableLine {
  readonly line: number;
  readonly message: string;
}

/**
 * Reads each line, numbered from 1; empty ones are left out. An unreadable line hides no other. Further fields, such as
 * the values that Sparrow adds, are ignored.
 */
export function parseLabelLines(text: string): {
  readonly records: LabelLine[];
  readonly unreadable: UnreadableLine[];
} {
  const records: LabelLine[] = [];
  const unreadable: UnreadableLine[] = [];
  for (const [index, content] of text
    .replace(/^\uFEFF/u, '')
    .split('\n')
    .entries()) {
    if (content.trim() === '') continue;
    const line = index + 1;
    const parsed = parseLine(content);
    if ('message' in parsed) unreadable.push({ line, message: parsed.message });
    else records.push({ line, ...parsed });
  }
  return { records, unreadable };
}

function parseLine(content: string): Omit<LabelLine, 'line'> | { readonly message: string } {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return { message: 'is not JSON' };
  }
  const { data, error } = record.safeParse(value);
  if (data === undefined) {
    const [issue] = error.issues;
    return { message: [issue?.path.join('.') ?? '', issue?.message ?? ''].join(' ').trim() };
  }
  const { type, ref, label, spendable } = data;
  // Multiline values are not permitted; other control characters would hide text.
  const characters = (label ?? '').toWellFormed().replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ');
  const whole = characters.trim();
  const kept = LABEL_START.exec(whole)?.[0] ?? '';
  return {
    type,
    ref: ref.trim(),
    label: label === undefined || label === null ? undefined : kept,
    spendable: spendable ?? undefined,
    isTruncated: kept !== whole,
  };
}
