import { Parser } from 'htmlparser2';

/** What may stand in a head; any other element begins the body (HTML standard, 13.2.6.4.4). */
const HEAD_ELEMENTS: ReadonlySet<string> = new Set([
  'base',
  'link',
  'meta',
  'noscript',
  'script',
  'style',
  'template',
  'title',
]);
/** Elements whose text is no text of the head itself, and whose content is not the page's own. */
const OPAQUE: ReadonlySet<string> = new Set(['noscript', 'script', 'style', 'template', 'title']);

/** No head nests this deep, and the parser slows down with depth: a page must not hold up the daemon. */
const MAX_DEPTH = 64;

/**
 * The contents of the metas of this name in a page's head. Only there: what visitors write ends up
 * in the body, and must not speak for the owner. A head without tags of its own counts as well.
 */
export function headMetas(html: string, metaName: string): string[] {
  const found: string[] = [];
  let inHead = true;
  let opaque = 0;
  let depth = 0;
  const endHead = (): void => {
    inHead = false;
    parser.pause();
  };
  const parser = new Parser({
    onopentag(name, attributes) {
      if (!inHead) return;
      depth += 1;
      if (depth > MAX_DEPTH) return endHead();
      if (OPAQUE.has(name)) opaque += 1;
      if (opaque > 0 || name === 'html' || name === 'head') return;
      if (!HEAD_ELEMENTS.has(name)) return endHead();
      const isIt = name === 'meta' && attributes['name']?.trim().toLowerCase() === metaName;
      if (isIt) found.push(attributes['content']?.trim() ?? '');
    },
    ontext(text) {
      if (inHead && opaque === 0 && /[^\s\uFEFF]/.test(text)) endHead();
    },
    onclosetag(name) {
      if (!inHead) return;
      depth -= 1;
      if (OPAQUE.has(name)) opaque -= 1;
      else if (opaque === 0 && (name === 'head' || name === 'html')) endHead();
    },
  });
  parser.end(html);
  return found;
}
