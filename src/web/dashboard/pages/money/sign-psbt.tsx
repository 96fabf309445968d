import type { ChangeEvent } from 'react';
import { api } from '../../api/client.ts';
import { useAct, useShopId } from '../../api/hooks.ts';
import type { Send } from '../../contract/types.ts';
import { t } from '../../i18n/t.ts';
import { Button, CopyLine, LINK, Problem } from '../../ui/basics.tsx';
import { SendSource } from './send-source.tsx';
import { Field } from '../../ui/form.tsx';
import { telling } from '../../ui/toast.ts';
import { Time } from '../../ui/time.tsx';
import { Form } from '../../ui/whole-form.tsx';

/** The transaction of a send from a watched account: to copy or save, and the signed copy to enter or choose. */
export function SignPsbt({ send, psbt }: { send: Send; psbt: string }) {
  const merchantId = useShopId();
  const { id: sendId, signatures, expiresAt } = send;
  const submit = useAct(
    (signed: string) =>
      api('POST', '/merchant/wallet/psbt/submit', { query: { merchantId }, body: { sendId, psbt: signed } }),
    telling(t('The signatures are added')),
  );
  const cancel = useAct(
    () => api('POST', '/merchant/wallet/send/cancel', { query: { merchantId }, body: { sendId } }),
    telling(t('The send is being cancelled')),
  );
  const choose = async ({ target }: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const file = target.files?.[0];
    if (file !== undefined) submit.mutate(await readPsbt(file));
  };
  const collected = submit.data?.signatures ?? signatures;
  const busy = submit.isPending || cancel.isPending;
  return (
    <div className="grid grid-cols-1 gap-4">
      <SendSource from={send.from} coin={send.coin} />
      <p className="text-sm">
        {t('Sign this transaction with the wallet that has the keys, then enter or choose the signed copy.')}
      </p>
      <Unsigned sendId={sendId} psbt={psbt} />
      {collected !== null && (
        <p className="text-sm">
          {t('Signatures: {collected} of {required}', {
            collected: String(collected.collected),
            required: String(collected.required),
          })}
          {expiresAt !== null && (
            <>
              {' · '}
              {t('Expires')} <Time at={expiresAt} exact="minute" />
            </>
          )}
        </p>
      )}
      <Form
        fields={['psbt']}
        submit={t('Add signatures')}
        busy={busy}
        error={submit.error}
        onSubmit={({ psbt: signed }) => submit.mutate(signed.trim())}
        extra={
          <Button look="quiet" disabled={busy} onClick={() => cancel.mutate()}>
            {t('Cancel the send')}
          </Button>
        }
      >
        <Field label={t('Signed PSBT (base64)')} name="psbt" autoComplete="off" spellCheck={false} required />
      </Form>
      <Field
        label={t('Or choose the signed .psbt file')}
        type="file"
        accept=".psbt,.txt"
        disabled={busy}
        onChange={(event) => void choose(event)}
      />
      {cancel.error !== null && <Problem error={cancel.error} />}
    </div>
  );
}

function Unsigned({ sendId, psbt }: { sendId: string; psbt: string }) {
  return (
    <>
      <CopyLine text={psbt} label={t('unsigned transaction')}>
        <span dir="ltr" className="block truncate">
          {psbt}
        </span>
      </CopyLine>
      <a className={LINK} href={`data:application/octet-stream;base64,${psbt}`} download={`${sendId}.psbt`}>
        {t('Save as a .psbt file')}
      </a>
    </>
  );
}

/** Base64 of a file, which is binary (BIP-174) or base64 itself. */
async function readPsbt(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const text = bytes.reduce((all, byte) => all + String.fromCharCode(byte), '');
  return text.startsWith('psbt') ? btoa(text) : text.trim();
}
