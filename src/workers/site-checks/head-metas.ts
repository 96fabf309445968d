import { Parser } from 'htmlparser2';

/** Elements allowed in a head; any other begins the body (HTML standard, 13.2.6.4.4). */
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
/** Elements whose content is not part of the head itself. */
const OPAQUE: ReadonlySet<string> = new Set(['noscript', 'script', 'style', 'template', 'title']);

/** No head nests this deep, and the parser slows down with depth: a page must not block the daemon. */
const MAX_DEPTH = 64;

/**
 * Contents of the meta tags of this name in a page's head only, because visitors' content is in the body and
 * must not prove ownership. A head without explicit tags counts as well.
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
