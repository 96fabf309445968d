import { t } from './i18n/t.ts';
import { Button, PageTitle } from './ui/basics.tsx';

/** Shown instead of a page that could not be loaded or crashed. */
export function PageFailed() {
  return (
    <div role="alert" className="p-4">
      <PageTitle title={t('This page could not be shown')} />
      <p className="mb-4 text-sm text-soft">{t('Are you online? Loading it once more may help.')}</p>
      <Button look="primary" onClick={() => window.location.reload()}>
        {t('Load again')}
      </Button>
    </div>
  );
}
