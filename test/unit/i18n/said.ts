import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/** A call that says a text. */
interface Saying {
  readonly where: string;
  /** Name of the function. */
  readonly by: string;
  readonly key: string;
  /** Names of the values it is given; null where they are not written out in the call. */
  readonly values: readonly string[] | null;
}

export interface Said {
  readonly sayings: readonly Saying[];
  /** Every string in the sources, as a pattern: a key may be in a table, or be made of pieces. */
  readonly strings: readonly RegExp[];
}

/** What the sources say by key. @param says names of the functions that say a text */
export function readSaid(files: string, says: ReadonlySet<string>): Said {
  const sayings: Saying[] = [];
  const strings = new Map<string, RegExp>();
  for (const name of globSync(files).toSorted()) {
    const file = ts.createSourceFile(name, readFileSync(name, 'utf8'), ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      const pieces = piecesOf(node);
      if (pieces !== null) strings.set(pieces.join('\0'), patternOf(pieces));
      if (ts.isCallExpression(node)) sayings.push(...sayingsIn(node, name, says));
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return { sayings, strings: [...strings.values()] };
}

function sayingsIn(call: ts.CallExpression, name: string, says: ReadonlySet<string>): Saying[] {
  const called = ts.isPropertyAccessExpression(call.expression) ? call.expression.name : call.expression;
  const [key, values] = call.arguments;
  if (!says.has(called.getText()) || key === undefined || !ts.isStringLiteralLike(key)) return [];
  const { line } = call.getSourceFile().getLineAndCharacterOfPosition(call.getStart());
  return [{ where: `${name}:${line + 1}`, by: called.getText(), key: key.text, values: namesIn(values) }];
}

/** The names in an object literal; null for any other expression. */
export function namesIn(values: ts.Expression | undefined): string[] | null {
  if (values === undefined) return [];
  if (!ts.isObjectLiteralExpression(values) || values.properties.some(ts.isSpreadAssignment)) return null;
  return values.properties.flatMap(({ name }) => (name === undefined ? [] : [name.getText()]));
}

/** The literal pieces of a string or template; null for what is none, or has no letters of its own. */
function piecesOf(node: ts.Node): string[] | null {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (!ts.isTemplateExpression(node)) return null;
  const pieces = [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
  return pieces.join('') === '' ? null : pieces;
}

function patternOf(pieces: readonly string[]): RegExp {
  return new RegExp(`^${pieces.map((piece) => piece.replace(/[^\w]/g, '\\$&')).join('\\w+')}$`);
}
