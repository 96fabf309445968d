import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { placeholders } from '../../_helpers/locales.ts';
import { namesIn } from '../i18n/said.ts';

const ROOT = 'src/web/dashboard';
const SAYS = new Set(['t', 'plural', 'parts']);
/** Attributes that people read or hear. */
const READ = new Set([
  'title',
  'label',
  'lead',
  'hint',
  'alt',
  'placeholder',
  'aria-label',
  'submit',
  'action',
]);
/** The same in every language: names, units, examples of addresses. */
const SAME = /^(tilld|JSON|CSV|ms|API|https?:\/\/\S*|\S+\.example(\.com)?)$/;

export interface Texts {
  /** English text → where it is said first. */
  readonly said: ReadonlyMap<string, string>;
  /** Singular → plural, of the texts that depend on a count. */
  readonly plurals: ReadonlyMap<string, string>;
  /** Texts that the translations cannot contain: one that is not a literal, lacks a value, or bypasses t(). */
  readonly faults: readonly string[];
}

/** Every text of the dashboard, read from its sources. */
export function readTexts(root = ROOT): Texts {
  const said = new Map<string, string>();
  const plurals = new Map<string, string>();
  const faults: string[] = [];
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted()) {
    if (!/\.tsx?$/.test(name) || name.startsWith('i18n')) continue;
    const { saidHere, pluralsHere, faultsHere } = readSource(name, readFileSync(join(root, name), 'utf8'));
    for (const text of saidHere) if (!said.has(text)) said.set(text, name);
    for (const [one, many] of pluralsHere) plurals.set(one, many);
    faults.push(...faultsHere);
  }
  return { said, plurals, faults };
}

/** The texts of one source file. */
export function readSource(
  name: string,
  source: string,
): { saidHere: string[]; pluralsHere: [one: string, many: string][]; faultsHere: string[] } {
  const saidHere: string[] = [];
  const pluralsHere: [string, string][] = [];
  const faultsHere: string[] = [];
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const fault = (node: ts.Node, why: string): void => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart());
    faultsHere.push(`${name}:${line + 1}: ${why}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && SAYS.has(node.expression.getText())) {
      const texts = englishOf(node);
      const [one, many] = texts;
      if (
        one !== undefined &&
        many !== undefined &&
        ts.isStringLiteralLike(one) &&
        ts.isStringLiteralLike(many)
      )
        pluralsHere.push([one.text, many.text]);
      for (const text of texts) {
        if (!ts.isStringLiteralLike(text)) fault(text, `not a literal: ${text.getText()}`);
        else {
          saidHere.push(text.text);
          for (const name of lackingIn(node, text.text)) fault(text, `no value for {${name}}`);
        }
      }
    } else if (bareText(node)) {
      fault(node, `not through t(): ${node.getText().trim()}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return { saidHere, pluralsHere, faultsHere };
}

function englishOf(call: ts.CallExpression): readonly ts.Expression[] {
  return call.expression.getText() === 'plural' ? call.arguments.slice(1, 3) : call.arguments.slice(0, 1);
}

/** The placeholders of a text that its call gives no value to; none where the values are not written out in the call. */
function lackingIn(call: ts.CallExpression, text: string): string[] {
  const isPlural = call.expression.getText() === 'plural';
  const values = namesIn(call.arguments[isPlural ? 3 : 1]);
  if (values === null) return [];
  const given = isPlural ? ['count', ...values] : values;
  return placeholders(text).filter((name) => !given.includes(name));
}

/** Words between tags, in an attribute that is read, or in a branch of what stands between tags. */
function bareText(node: ts.Node): boolean {
  if (ts.isJsxText(node)) return hasWords(node.text.replaceAll(/&\w+;/g, ''));
  if (!ts.isStringLiteralLike(node) || !hasWords(node.text)) return false;
  const holder = holderOf(node);
  if (ts.isJsxAttribute(holder)) {
    const name = holder.name.getText();
    // The name of a form's field is for programs, in lower case; that of a row is read.
    return READ.has(name) || (name === 'name' && /^\p{Lu}/u.test(node.text));
  }
  return ts.isJsxExpression(holder) && !ts.isJsxAttribute(holder.parent);
}

/** What a literal ends up in, through `a ? 'x' : 'y'`, `a && 'x'` and `a ?? 'x'`. */
function holderOf(node: ts.Node): ts.Node {
  const { parent } = node;
  if (ts.isConditionalExpression(parent) && parent.condition !== node) return holderOf(parent);
  if (ts.isBinaryExpression(parent) && parent.right === node && !isComparison(parent))
    return holderOf(parent);
  if (ts.isParenthesizedExpression(parent)) return holderOf(parent);
  if (ts.isJsxExpression(parent) && ts.isJsxAttribute(parent.parent)) return parent.parent;
  return parent;
}

function isComparison({ operatorToken }: ts.BinaryExpression): boolean {
  return [ts.SyntaxKind.EqualsEqualsEqualsToken, ts.SyntaxKind.ExclamationEqualsEqualsToken].includes(
    operatorToken.kind,
  );
}

function hasWords(text: string): boolean {
  return (
    /\p{L}{2}/u.test(text) &&
    !text
      .trim()
      .split(/\s+/)
      .every((word) => SAME.test(word) || !/\p{L}/u.test(word))
  );
}
