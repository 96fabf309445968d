import { useState } from 'react';
import type { Progress } from '../api/csv.ts';
import { download } from '../api/download.ts';
import { useAct } from '../api/hooks.ts';
import { t } from '../i18n/t.ts';
import { Button, Problem } from './basics.tsx';

/** Downloads the entries that match a filter as a CSV file. */
export function ExportCsv({ name, csv }: { name: string; csv: (onProgress: Progress) => Promise<string> }) {
  const [progress, setProgress] = useState('');
  const run = useAct(async () => {
    const text = await csv((done, total) => setProgress(t('{done} of {total}', { done, total })));
    download(name, new Blob([text], { type: 'text/csv;charset=utf-8' }));
  });
  return (
    <>
      {run.error !== null && <Problem error={run.error} />}
      <Button busy={run.isPending} onClick={() => run.mutate()}>
        {run.isPending ? t('Exporting {progress}', { progress }) : t('Export CSV')}
      </Button>
    </>
  );
}
