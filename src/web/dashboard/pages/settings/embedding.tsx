import { api } from '../../api/client.ts';
import { useAct } from '../../api/hooks.ts';
import type { Shop } from '../../contract/types.ts';
import { t } from '../../i18n/t.ts';
import { Card } from '../../ui/basics.tsx';
import { TextArea } from '../../ui/form.tsx';
import { Form } from '../../ui/whole-form.tsx';

/** The sites, in addition to the shop's verified domain, that may open its checkout over their own pages. */
export function Embedding({ shop }: { shop: Shop }) {
  const save = useAct((embedOrigins: string[]) =>
    api('PATCH', '/merchant/edit', { body: { merchantId: shop.id, embedOrigins } }),
  );
  return (
    <Card title={t('Embedded checkout')}>
      <Form
        fields={['embedOrigins']}
        submit={t('Save')}
        busy={save.isPending}
        error={save.error}
        onSubmit={({ embedOrigins }) => save.mutate(embedOrigins.split(/\s+/).filter((text) => text !== ''))}
        extra={
          save.isSuccess && (
            <span role="status" className="text-sm text-accent">
              {t('Sites kept')}
            </span>
          )
        }
      >
        <TextArea
          label={t('Sites that may show the checkout')}
          name="embedOrigins"
          rows={3}
          spellCheck={false}
          placeholder="https://www.shop.example"
          hint={t('Up to 10, one per line. The verified domain is always allowed')}
          defaultValue={shop.embedOrigins.join('\n')}
        />
      </Form>
    </Card>
  );
}
