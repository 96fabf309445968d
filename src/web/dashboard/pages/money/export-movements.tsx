import { useState } from 'react';
import { downloadMovements } from '../../api/movements.ts';
import { useAct, useShopId, useTimeZone } from '../../api/hooks.ts';
import { useMode } from '../../api/mode.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../ui/basics.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Select, TimeZones } from '../../ui/form.tsx';
import { Form } from '../../ui/whole-form.tsx';
import { today } from '../../format/format.ts';

/** Downloads all incoming and outgoing money in a range of days, for accounting. */
export function ExportMovements() {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t('Export movements')}</Button>
      <Dialog title={t('Export movements')} open={isOpen} onClose={close}>
        <ExportForm onDone={close} />
      </Dialog>
    </>
  );
}

/** A range of days and the format of the file. */
export function ExportForm({ onDone }: { onDone: () => void }) {
  const merchantId = useShopId();
  const run = useAct(downloadMovements, onDone);
  const { error } = run;
  const timeZone = useTimeZone();
  const { viewed: mode } = useMode();
  const lastDay = today(timeZone);
  return (
    <Form
      fields={['first', 'last', 'timeZone', 'format']}
      submit={t('Download')}
      busy={run.isPending}
      error={error}
      onSubmit={(values) => run.mutate({ merchantId, mode, ...values })}
    >
      <p className="text-sm text-soft">
        {t(
          'One line per payment, refund, send, transfer within the wallet and network fee, with its value at the time.',
        )}
      </p>
      <div className="grid grid-cols-2 gap-3">
        <Field
          label={t('First day')}
          name="first"
          type="date"
          defaultValue={`${lastDay.slice(0, 8)}01`}
          required
        />
        <Field label={t('Last day')} name="last" type="date" defaultValue={lastDay} required />
      </div>
      <Field
        label={t('Time zone')}
        name="timeZone"
        list="time-zones"
        defaultValue={timeZone}
        maxLength={64}
        required
      />
      <TimeZones />
      <Select label={t('Format')} name="format" defaultValue="csv">
        <option value="csv">{t('CSV, for spreadsheets')}</option>
        <option value="json">{t('JSON')}</option>
      </Select>
    </Form>
  );
}
