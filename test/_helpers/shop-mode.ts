import Database from 'better-sqlite3';
import { join } from 'node:path';

/**
 * Puts a shop into a mode by its database: live as it is when the nodes were taken out of the configuration after it
 * went live. No request goes live without a node.
 */
export function putShopInMode(
  till: { readonly dataDir: string },
  merchantId: string,
  mode: 'live' | 'sandbox',
): void {
  const sqlite = new Database(join(till.dataDir, 'tilld.sqlite'));
  try {
    const { changes } = sqlite
      .prepare('UPDATE merchants SET sandbox = ? WHERE id = ?')
      .run(mode === 'sandbox' ? 1 : 0, merchantId);
    if (changes !== 1) throw new Error(`there is no shop ${merchantId}`);
  } finally {
    sqlite.close();
  }
}

/** Unfreezes every wallet of a till. */
export function unfreezeWallets(till: { readonly dataDir: string }): void {
  const sqlite = new Database(join(till.dataDir, 'tilld.sqlite'));
  try {
    sqlite.exec('DELETE FROM wallet_freezes');
  } finally {
    sqlite.close();
  }
}
