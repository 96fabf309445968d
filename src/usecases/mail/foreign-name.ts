import { oneLine } from './one-line.ts';

/** Longest name in a mail, in characters; shops' names have up to 255. */
const BODY_MAX = 80;
const SUBJECT_MAX = 40;
const SUBJECT_WORDS = 5;

/** Words of letters, digits and what joins them; a point or a comma only at the end of a word. */
const PLAIN = /^[\p{L}\p{M}\p{N}&'’+-]+[.,]?(?: [\p{L}\p{M}\p{N}&'’+-]+[.,]?)*$/u;
/** As many digits as telephone numbers have, in any script, with no letter among them. */
const NUMBER = /(?:\p{N}[^\p{L}\p{N}]*){6}/u;
/** Letters that look like a point. */
const POINTS = /[\p{Script=Lisu}\ua78f]/u;
/** Where programs that show mails make a link of a text by themselves: after these, a gap of no width breaks it. */
const LINK_MARKS = /([.:@/\\。．｡])(?=\S)/gu;
const ZERO_WIDTH_SPACE = '\u200b';

/**
 * A name that somebody else chose, as the subject of a mail repeats it: a subject is all that many read of a mail, so that a
 * name which could pass for a link, a number to call or a sentence is not in it.
 * @param instead stands in its place
 */
export function subjectName(name: string, instead: string): string {
  const line = oneLine(name);
  const isShort = line.length <= SUBJECT_MAX && line.split(' ').length <= SUBJECT_WORDS;
  return isShort && PLAIN.test(line) && !NUMBER.test(line) && !POINTS.test(line) ? line : instead;
}

/** The same name in the body of a mail: on one line, not long, and nothing that becomes a link. */
export function bodyName(name: string): string {
  const line = oneLine(name);
  const characters = Array.from(line);
  const short = characters.length > BODY_MAX ? `${characters.slice(0, BODY_MAX - 1).join('')}…` : line;
  return short.replace(LINK_MARKS, `$1${ZERO_WIDTH_SPACE}`);
}
