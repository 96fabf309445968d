import { copyLog } from './store/copy-log.ts';
import { serve } from './thread/serve.ts';
import { deriveAhead } from './wallet/derive-ahead.ts';

/** The second thread, beside that of main.ts: what would keep requests waiting there. */
serve({ copyLog, deriveAhead });
