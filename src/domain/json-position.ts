/** Finds the error in text that is not JSON. The messages of `JSON.parse` do not always contain its position. */

interface TextPosition {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 code units, as editors count. */
  readonly column: number;
}

type Expected = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'commaOrEnd' | 'end';

/**
 * Matches a string without its closing quote, up to the first character that a string may not contain: quote,
 * backslash, and control characters.
 */
const STRING = /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uffff]*)*/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const BLANK = /[ \t\n\r]*/y;
const NEWLINE = /\r\n|\r|\n/;

/** Line and column of the first character or token that JSON (RFC 8259) does not allow; null if the text is JSON. */
export function findSyntaxError(text: string): TextPosition | null {
  const offset = findErrorOffset(text);
  if (offset === null) return null;
  const lines = text.slice(0, offset).split(NEWLINE);
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}

function findErrorOffset(text: string): number | null {
  const open: string[] = [];
  let expected: Expected = 'value';
  let at = match(BLANK, text, 0);
  while (at < text.length) {
    const char = text.charAt(at);
    const isString = char === '"';
    const end = endOfToken(text, at);
    const next = step(expected, char, open);
    if (next === null || end === at) return at;
    if (isString && text.charAt(end) !== '"') return end;
    expected = next;
    at = match(BLANK, text, isString ? end + 1 : end);
  }
  return expected === 'end' ? null : at;
}

/** The end of the token that begins here, of a string without its closing quote; the same offset if there is none. */
function endOfToken(text: string, at: number): number {
  const char = text.charAt(at);
  if (char === '"') return match(STRING, text, at);
  return '{}[],:'.includes(char) ? at + 1 : match(SCALAR, text, at);
}

function match(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** What must follow the token that begins with `char`; null if the token is not allowed. Changes `open`. */
function step(expected: Expected, char: string, open: string[]): Expected | null {
  const inner = open.at(-1);
  switch (char) {
    case '{':
    case '[':
      if (expected !== 'value' && expected !== 'valueOrEnd') return null;
      open.push(char);
      return char === '{' ? 'keyOrEnd' : 'valueOrEnd';
    case '}':
    case ']': {
      const isEmpty = expected === (char === '}' ? 'keyOrEnd' : 'valueOrEnd');
      if (!isEmpty && (expected !== 'commaOrEnd' || inner !== (char === '}' ? '{' : '['))) return null;
      open.pop();
      return afterValue(open);
    }
    case ',':
      if (expected !== 'commaOrEnd') return null;
      return inner === '{' ? 'key' : 'value';
    case ':':
      return expected === 'colon' ? 'value' : null;
    default:
      if (char === '"' && (expected === 'key' || expected === 'keyOrEnd')) return 'colon';
      return expected === 'value' || expected === 'valueOrEnd' ? afterValue(open) : null;
  }
}

function afterValue(open: readonly string[]): Expected {
  return open.length === 0 ? 'end' : 'commaOrEnd';
}
