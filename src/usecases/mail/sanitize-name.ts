/** Maximum length of a name in a mail, in characters; shops' names have up to 255. */
const BODY_MAX = 80;
const SUBJECT_MAX = 40;
const SUBJECT_WORDS = 5;

/**
 * Words of letters, digits and their joining characters; a full stop or a comma only at the end of a word.
 */
const PLAIN = /^[\p{L}\p{M}\p{N}&'’+-]+[.,]?(?: [\p{L}\p{M}\p{N}&'’+-]+[.,]?)*$/u;
/** As many digits as a telephone number, in any script, without a letter among them. */
const NUMBER = /(?:\p{N}[^\p{L}\p{N}]*){6}/u;
/** Letters that look like a full stop. */
const POINTS = /[\p{Script=Lisu}\ua78f]/u;
/** Where mail programs turn text into a link: a zero-width gap after these characters prevents it. */
const LINK_MARKS = /([.:@/\\。．｡])(?=\S)/gu;
const ZERO_WIDTH_SPACE = '\u200b';

/**
 * A name chosen by another person, for the subject of a mail. Many readers see only the subject, so a name
 * that could pass for a link, a telephone number or a sentence is left out.
 * @param instead replaces such a name
 */
export function nameForSubject(name: string, instead: string): string {
  const line = oneLine(name);
  const isShort = line.length <= SUBJECT_MAX && line.split(' ').length <= SUBJECT_WORDS;
  return isShort && PLAIN.test(line) && !NUMBER.test(line) && !POINTS.test(line) ? line : instead;
}

/** The same name in the body of a mail: on one line, shortened, and without anything that becomes a link. */
export function nameForBody(name: string): string {
  const line = oneLine(name);
  const characters = Array.from(line);
  const short = characters.length > BODY_MAX ? `${characters.slice(0, BODY_MAX - 1).join('')}…` : line;
  return short.replace(LINK_MARKS, `$1${ZERO_WIDTH_SPACE}`);
}

/**
 * A name for use in mails: it can neither start a new line nor change the direction of the text around it.
 */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ').trim();
}
