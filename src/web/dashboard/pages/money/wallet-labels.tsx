import { useState } from 'react';
import { importLabelLines, downloadLabels, type LabelImport } from './label-files.ts';
import { useAct, useShopId } from '../../api/hooks.ts';
import { useMode } from '../../api/mode.ts';
import { usePermission } from '../../api/permissions.ts';
import type { Coin } from '../../contract/types.ts';
import { t } from '../../i18n/t.ts';
import { Button, Problem } from '../../ui/basics.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/form.tsx';

/** Exports and imports the labels of a wallet in the format that other wallets use (BIP 329). */
export function WalletLabels({ coin }: { coin: Coin }) {
  const [isOpen, setIsOpen] = useState(false);
  const may = usePermission();
  if (!may('payments:read')) return null;
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>{t('Labels')}</Button>
      <Dialog title={t('Labels')} open={isOpen} onClose={() => setIsOpen(false)}>
        <Labels coin={coin} />
      </Dialog>
    </>
  );
}

function Labels({ coin }: { coin: Coin }) {
  const merchantId = useShopId();
  const { viewed: mode, isOther } = useMode();
  const may = usePermission();
  const save = useAct(() => downloadLabels({ merchantId, mode, coin }));
  const read = useAct(async (file: File) => importLabelLines({ merchantId, coin }, await file.text()));
  return (
    <div className="grid gap-4">
      <p className="text-sm text-soft">
        {t(
          'Labels of transactions, addresses and outputs, in the format that Sparrow, Nunchuk and other wallets read and write (BIP 329).',
        )}
      </p>
      <Button busy={save.isPending} onClick={() => save.mutate()}>
        {t('Export labels')}
      </Button>
      {save.error !== null && <Problem error={save.error} />}
      {may('wallet:send') && !isOther && (
        <Field
          label={t('Import labels')}
          hint={t(
            'An output that the file marks as not spendable is frozen, and one marked as spendable is unfrozen.',
          )}
          type="file"
          accept=".jsonl,.json,.txt"
          disabled={read.isPending}
          onChange={({ target }) => {
            const file = target.files?.[0];
            if (file !== undefined) read.mutate(file);
          }}
        />
      )}
      {read.error !== null && <Problem error={read.error} />}
      {read.data !== undefined && <Imported of={read.data} />}
    </div>
  );
}

function Imported({ of: { labels, frozen, unfrozen, unknown, unreadable } }: { of: LabelImport }) {
  return (
    <div role="status" className="grid gap-1 text-sm">
      <p>{t('Labels imported: {count}', { count: String(labels) })}</p>
      {frozen > 0 && <p>{t('Outputs frozen: {count}', { count: String(frozen) })}</p>}
      {unfrozen > 0 && <p>{t('Outputs unfrozen: {count}', { count: String(unfrozen) })}</p>}
      {unknown > 0 && <p>{t('Lines about other wallets: {count}', { count: String(unknown) })}</p>}
      {unreadable.length > 0 && (
        <p className="text-stop">
          {t('Lines that could not be read: {lines}', { lines: unreadable.join(', ') })}
        </p>
      )}
    </div>
  );
}
