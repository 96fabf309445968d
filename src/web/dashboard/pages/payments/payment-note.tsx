import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useAct, useApi, useShopId } from '../../api/hooks.ts';
import { usePermission } from '../../api/permissions.ts';
import type { Payment } from '../../contract/types.ts';
import { when } from '../../format/format.ts';
import { t } from '../../i18n/t.ts';
import { Button, Card, Problem } from '../../ui/basics.tsx';
import { TextArea } from '../../ui/form.tsx';
import { telling } from '../../ui/toast.ts';

const NOTE_MAX = 1_000;

/** The shop's own note on a payment: its people read and write it, payers never see it. */
export function PaymentNote({ payment }: { payment: Payment }) {
  const merchantId = useShopId();
  const may = usePermission();
  const [draft, setDraft] = useState<string | null>(null);
  const read = useApi('/payment/note', { merchantId, paymentId: payment.id });
  const save = useAct(
    (note: string) =>
      api('PATCH', '/payment/note', { query: { merchantId }, body: { paymentId: payment.id, note } }),
    telling(t('Note saved'), () => setDraft(null)),
  );
  if (read.data === undefined) return null;
  const { note, updatedAt, updatedBy } = read.data;
  const details = [updatedAt === null ? null : when(updatedAt), updatedBy].filter((part) => part !== null);
  if (draft !== null) {
    return (
      <Card title={t('Note')}>
        <form
          className="grid justify-items-start gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            save.mutate(draft);
          }}
        >
          <TextArea
            label={t('Only people of your shop see it.')}
            name="note"
            maxLength={NOTE_MAX}
            value={draft}
            onChange={({ target }) => setDraft(target.value)}
          />
          <p className="flex gap-2">
            <Button type="submit" look="primary" busy={save.isPending}>
              {t('Save')}
            </Button>
            <Button onClick={() => setDraft(null)}>{t('Cancel')}</Button>
          </p>
          {save.error !== null && <Problem error={save.error} />}
        </form>
      </Card>
    );
  }
  if (note === null && !may('payments:write')) return null;
  return (
    <Card title={t('Note')}>
      <div className="grid justify-items-start gap-2 text-sm">
        {note !== null && <p className="wrap-anywhere whitespace-pre-line">{note}</p>}
        {details.length > 0 && <p className="wrap-anywhere text-xs text-soft">{details.join(' · ')}</p>}
        {may('payments:write') && (
          <Button onClick={() => setDraft(note ?? '')}>
            {note === null ? t('Add a note') : t('Edit note')}
          </Button>
        )}
      </div>
    </Card>
  );
}
