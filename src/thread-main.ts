import { hashBlocks } from './chains/utxo/hash-blocks.ts';
import { copyLog } from './store/copy-log.ts';
import { serve } from './thread/serve.ts';
import { deriveAhead } from './wallet/derive-ahead.ts';

/** The second thread, beside that of main.ts: what would keep requests waiting there. */
serve({ hashBlocks, copyLog, deriveAhead });
