/** The titles of tests as a list of failures shows them, read from the sources. */
import { readFileSync } from 'node:fs';
import ts from 'typescript';

export interface TestTitle {
  readonly path: string;
  readonly line: number;
  /** Its literal, with placeholders unchanged. */
  readonly text: string;
  /** The titles of the enclosing `describe` blocks, outermost first. */
  readonly units: readonly string[];
  readonly isUnit: boolean;
  /** A function around it receives its unit elsewhere. */
  readonly isShared: boolean;
}

const BLOCKS = new Set(['describe', 'it', 'test', 'suite']);
/** They return a function that takes the title. */
const TABLES = new Set(['each', 'for', 'skipIf', 'runIf', 'extend']);

/** `it` of `it.each(rows)('title', run)`; undefined for calls that take no title. */
function blockName(call: ts.CallExpression): string | undefined {
  let callee: ts.Expression = call.expression;
  if (ts.isPropertyAccessExpression(callee) && TABLES.has(callee.name.text)) return undefined;
  for (;;) {
    if (ts.isIdentifier(callee)) return BLOCKS.has(callee.text) ? callee.text : undefined;
    if (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee)) callee = callee.expression;
    else return undefined;
  }
}

/** Titles that are no literals, such as a name out of a table, are left out. */
export function readTitles(path: string, source = readFileSync(path, 'utf8')): TestTitle[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const titles: TestTitle[] = [];
  const visit = (node: ts.Node, units: readonly string[], isShared: boolean): void => {
    const block = ts.isCallExpression(node) ? blockName(node) : undefined;
    const title = block === undefined ? undefined : (node as ts.CallExpression).arguments[0];
    let within = units;
    if (title !== undefined && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title))) {
      const text = ts.isStringLiteralLike(title) ? title.text : title.getText(file).slice(1, -1);
      const isUnit = block === 'describe' || block === 'suite';
      const line = file.getLineAndCharacterOfPosition(title.getStart(file)).line + 1;
      titles.push({ path, line, text, units, isUnit, isShared });
      if (isUnit) within = [...units, text];
    }
    const isFunction = ts.isFunctionDeclaration(node);
    node.forEachChild((child) => visit(child, within, isShared || isFunction));
  };
  visit(file, [], false);
  return titles;
}
