import { copyLog } from './store/copy-log.ts';
import { serve } from './thread/serve.ts';

/** The second thread, beside that of main.ts: what would keep requests waiting there. */
serve({ copyLog });
