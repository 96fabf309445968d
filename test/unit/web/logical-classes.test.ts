/** The pages of the dashboard are laid out from right to left in Arabic. */
import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Classes of Tailwind that name a side of the screen. */
const PHYSICAL =
  /(?<![\w-])-?(?:m[lr]|p[lr]|left|right|border-[lr]|rounded-[lr]|text-left|text-right)(?:-[\w.[\]/]+|(?=[\s"'`]))/gu;
/** Half of the screen, with a translation by half of the element: the centre in both directions. */
const CENTRED = 'left-1/2';

it('a class of the dashboard names the start or the end of a line, not a side of the screen', () => {
  const found = globSync('src/web/dashboard/**/*.tsx').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/className=(?:"[^"]*"|\{`[^`]*`\})/gu)]
      .flatMap(([classes]) => classes.match(PHYSICAL) ?? [])
      .filter((name) => name !== CENTRED)
      .map((name) => `${file}: ${name}`),
  );
  expect(found).toEqual([]);
});
