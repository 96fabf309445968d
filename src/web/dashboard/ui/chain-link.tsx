import type { ReactNode } from 'react';
import { useExplorers } from '../api/explorers.ts';
import type { Coin } from '../contract/types.ts';
import { t } from '../i18n/t.ts';

interface OnChain {
  readonly coin: Coin;
  readonly kind: 'tx' | 'address';
  /** The transaction id or the address. */
  readonly text: string;
  /** Money of the sandbox is not on a public chain. */
  readonly sandbox: boolean;
  readonly children: ReactNode;
}

/** A transaction or address as a link to the operator's block explorer; without an explorer as plain text. */
export function ChainLink({ coin, kind, text, sandbox, children }: OnChain) {
  const template = useExplorers()[coin]?.[kind] ?? null;
  if (sandbox || template === null) return children;
  return (
    <a
      href={template.replace(`{${kind}}`, () => encodeURIComponent(text))}
      target="_blank"
      rel="noopener noreferrer"
      referrerPolicy="no-referrer"
      className="underline decoration-dotted underline-offset-2 hover:decoration-solid"
    >
      {children}
      <span className="sr-only">{t(', in the block explorer, in a new tab')}</span>
    </a>
  );
}
