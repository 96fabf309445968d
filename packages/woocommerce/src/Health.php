<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

defined('ABSPATH') || exit;

/** How the connection is: what tilld says when it is asked, and what the site itself knows without asking. */
final class Health
{
    /** The job runs every five minutes where WordPress's scheduler works. */
    private const LATE_SECONDS = 3600;
    /** The scheduler is started by a visit, so that the first visit after a quiet night finds the job late. */
    private const GRACE_SECONDS = 120;
    /** tilld may be restarted without anybody hearing of it. */
    private const PATIENCE_SECONDS = 600;
    private const LATE_SINCE = 'tilld_job_late_since';

    /** @return array<string, array{ok: bool, text: string}> of key, webhook, job and node */
    public static function check(): array
    {
        $connection = Connection::get();
        if ($connection === null) {
            $none = ['ok' => false, 'text' => self::whyNotConnected()];
            return ['key' => $none, 'webhook' => $none, 'job' => $none, 'node' => $none];
        }
        try {
            Connection::follow();
        } catch (\Throwable $error) {
            Log::warning('webhooks cannot be sent to the present address of the shop', $error);
        }
        $endpoints = null;
        $key = self::attempt(static function () use (&$endpoints): string {
            $endpoints = Connection::client(0)->endpoints->list()['endpoints'];
            return __('The key is accepted.', 'tilld-for-woocommerce') . self::oldKeys();
        });
        return ['key' => $key, 'webhook' => self::webhook(Connection::get() ?? $connection, $endpoints), 'job' => self::job(), 'node' => self::node()];
    }

    /** Whether tilld can be asked and is ready. @return array{ok: bool, text: string} */
    public static function node(): array
    {
        return self::attempt(static function (): string {
            $state = Connection::client(0)->service->readyz();
            $behind = [];
            // Without chains where the operator of tilld keeps the details to themselves.
            foreach ($state['chains'] ?? [] as $chain) {
                if ($chain['lastError'] !== null || $chain['state'] !== 'following') {
                    $behind[] = $chain['coin'];
                }
            }
            if (!$state['ready']) {
                /* translators: %s: names of coins */
                $text = sprintf(__('tilld is not ready: %s', 'tilld-for-woocommerce'), $behind === [] ? '/readyz' : implode(', ', $behind));
                // phpcs:ignore WordPress.Security.EscapeOutput.ExceptionNotEscaped -- is escaped where a page shows it
                throw new \RuntimeException($text);
            }
            return __('tilld and its nodes are up.', 'tilld-for-woocommerce');
        });
    }

    public static function hasWebhookSince(int $time): bool
    {
        $at = self::time(Webhook::SEEN);
        return $at > 0 && $at >= $time;
    }

    /** Whether webhooks have come since the shop was connected. Asks nobody. @return array{ok: bool, text: string} */
    public static function lastWebhook(): array
    {
        $at = self::time(Webhook::SEEN);
        if (!self::hasWebhookSince((int) (Connection::get()['openedAt'] ?? 0))) {
            return ['ok' => false, 'text' => __('No webhook has arrived yet. Until one does, only the scheduled job updates orders, minutes later. Send a test webhook.', 'tilld-for-woocommerce')];
        }
        /* translators: %s: date and time */
        return ['ok' => true, 'text' => sprintf(__('The last webhook arrived at %s.', 'tilld-for-woocommerce'), self::dateOf($at))];
    }

    /** Whether the job runs and reads tilld's events. Asks nobody. @return array{ok: bool, text: string} */
    public static function job(): array
    {
        $done = self::time(Reconcile::DONE);
        $last = $done > 0 ? self::dateOf($done) : __('never', 'tilld-for-woocommerce');
        if (self::isJobLate()) {
            /* translators: %s: date and time */
            return ['ok' => false, 'text' => sprintf(__('The scheduled job that updates orders does not run. Last success: %s. WordPress\'s scheduler (wp-cron) may be switched off or broken. Have the server call wp-cron.php every few minutes.', 'tilld-for-woocommerce'), $last)];
        }
        $failure = get_option(Reconcile::FAILURE);
        if (is_array($failure) && ($failure['isLasting'] || time() - $failure['since'] >= self::PATIENCE_SECONDS)) {
            /* translators: 1: date and time 2: date and time 3: reason */
            return ['ok' => false, 'text' => sprintf(__('The scheduled job that updates orders has failed since %1$s. Last success: %2$s. Reason: %3$s', 'tilld-for-woocommerce'), self::dateOf((int) $failure['since']), $last, $failure['reason'])];
        }
        if ($done === 0) {
            return ['ok' => true, 'text' => __('The scheduled job has not run yet.', 'tilld-for-woocommerce')];
        }
        /* translators: %s: date and time */
        return ['ok' => true, 'text' => sprintf(__('The scheduled job last ran at %s.', 'tilld-for-woocommerce'), $last)];
    }

    /**
     * What the shopkeeper must hear of on every page, by what the site itself knows: no request delays a page.
     *
     * @return array<string, string> texts by kind: moved, sealed, unconnected, job or webhook
     */
    public static function troubles(): array
    {
        if (Connection::isMoved()) {
            return ['moved' => self::whyNotConnected()];
        }
        $isOffered = self::isOffered();
        if (Connection::isSealed()) {
            return ['sealed' => self::whyNotConnected()];
        }
        if (Connection::get() === null) {
            return $isOffered ? ['unconnected' => __('Payment by tilld is switched on, but customers cannot choose it because the shop is not connected yet.', 'tilld-for-woocommerce')] : [];
        }
        $troubles = [];
        foreach (['job' => self::job(), 'webhook' => self::lastWebhook()] as $kind => ['ok' => $isOk, 'text' => $text]) {
            if (!$isOk) {
                $troubles[$kind] = $text;
            }
        }
        return $troubles;
    }

    private static function isOffered(): bool
    {
        foreach (Methods::ids() as $id) {
            $settings = get_option("woocommerce_{$id}_settings");
            if (is_array($settings) && ($settings['enabled'] ?? 'no') === 'yes') {
                return true;
            }
        }
        return false;
    }

    private static function whyNotConnected(): string
    {
        if (Connection::isMoved()) {
            /* translators: %s: address of a site */
            return sprintf(__('The shop was connected at %s. Payments are off here, and webhooks still go there. If the shop has moved to this address, take over the connection. If this is a copy, such as a test site, connect it on its own or leave it off.', 'tilld-for-woocommerce'), Connection::connectedHome());
        }
        return Connection::isSealed()
            ? __('The stored key cannot be read, because the salts in wp-config.php have changed. Payments are off: connect again.', 'tilld-for-woocommerce')
            : __('Not connected yet.', 'tilld-for-woocommerce');
    }

    private static function oldKeys(): string
    {
        $ends = Connection::liveOldKeys();
        if ($ends === []) {
            return '';
        }
        /* translators: 1: last characters of keys 2: last characters of a key */
        return ' ' . sprintf(__('Earlier keys of this shop still work, ending in %1$s: delete them in tilld. The one in use ends in %2$s.', 'tilld-for-woocommerce'), implode(', ', $ends), Connection::keyEnd());
    }

    private static function webhook(array $connection, ?array $endpoints): array
    {
        foreach ($endpoints ?? [] as $endpoint) {
            if ($endpoint['id'] !== $connection['endpointId']) {
                continue;
            }
            $health = $endpoint['health'];
            if (!$endpoint['active'] || $health['gone'] || $endpoint['url'] !== Connection::webhookUrl()) {
                return ['ok' => false, 'text' => __('The endpoint is switched off or goes elsewhere: connect again.', 'tilld-for-woocommerce')];
            }
            $last = self::lastWebhook();
            if ($health['failuresInARow'] > 0) {
                /* translators: 1: number of failed deliveries 2: error */
                $trouble = __('%1$d deliveries failed in a row, the last with: %2$s', 'tilld-for-woocommerce');
                $last['text'] .= ' ' . sprintf($trouble, $health['failuresInARow'], (string) $health['lastError']);
            }
            return $last;
        }
        $text = $endpoints === null
            ? __('Unknown: tilld does not say.', 'tilld-for-woocommerce')
            : __('tilld has no endpoint for this shop: connect again.', 'tilld-for-woocommerce');
        return ['ok' => false, 'text' => $text];
    }

    private static function isJobLate(): bool
    {
        $last = max(self::time(Reconcile::RUN), self::time(Reconcile::DONE), (int) (Connection::get()['openedAt'] ?? 0));
        $since = self::time(self::LATE_SINCE);
        if (time() - $last < self::LATE_SECONDS) {
            if ($since > 0) {
                delete_option(self::LATE_SINCE);
            }
            return false;
        }
        if ($since === 0) {
            update_option(self::LATE_SINCE, time(), false);
            return false;
        }
        return time() - $since >= self::GRACE_SECONDS;
    }

    /** Another process may just have written it. */
    private static function time(string $option): int
    {
        wp_cache_delete($option, 'options');
        wp_cache_delete('notoptions', 'options');
        return (int) get_option($option);
    }

    private static function dateOf(int $at): string
    {
        return (string) wp_date(get_option('date_format') . ' ' . get_option('time_format'), $at);
    }

    private static function attempt(callable $work): array
    {
        try {
            return ['ok' => true, 'text' => $work()];
        } catch (\Throwable $error) {
            return ['ok' => false, 'text' => $error->getMessage()];
        }
    }
}
