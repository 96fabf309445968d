<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

defined('ABSPATH') || exit;

/** What the settings page says about the connection. */
final class Health
{
    /** @return array<string, array{ok: bool, text: string}> of key, webhook and node */
    public static function check(): array
    {
        $connection = Connection::get();
        if ($connection === null) {
            $text = Connection::isCopy()
                ? __('This is a copy of the shop that was connected. Connect it on its own.', 'tilld-for-woocommerce')
                : __('Not connected yet.', 'tilld-for-woocommerce');
            $none = ['ok' => false, 'text' => $text];
            return ['key' => $none, 'webhook' => $none, 'node' => $none];
        }
        $endpoints = null;
        $key = self::attempt(static function () use (&$endpoints): string {
            $endpoints = Connection::client(0)->endpoints->list()['endpoints'];
            return __('The key is accepted.', 'tilld-for-woocommerce');
        });
        return ['key' => $key, 'webhook' => self::webhook($connection, $endpoints), 'node' => self::node()];
    }

    private static function webhook(array $connection, ?array $endpoints): array
    {
        foreach ($endpoints ?? [] as $endpoint) {
            if ($endpoint['id'] !== $connection['endpointId']) {
                continue;
            }
            $health = $endpoint['health'];
            $isOk = $endpoint['active'] && !$health['gone'] && $endpoint['url'] === Connection::webhookUrl();
            /* translators: 1: number of failed deliveries 2: error */
            $trouble = __('%1$d deliveries failed in a row, the last with: %2$s', 'tilld-for-woocommerce');
            $text = $health['failuresInARow'] > 0
                ? sprintf($trouble, $health['failuresInARow'], (string) $health['lastError'])
                : __('Webhooks come to this shop.', 'tilld-for-woocommerce');
            return ['ok' => $isOk, 'text' => $isOk ? $text : __('The endpoint is switched off or goes elsewhere: connect again.', 'tilld-for-woocommerce')];
        }
        $text = $endpoints === null
            ? __('Unknown: tilld does not say.', 'tilld-for-woocommerce')
            : __('tilld has no endpoint for this shop: connect again.', 'tilld-for-woocommerce');
        return ['ok' => false, 'text' => $text];
    }

    private static function node(): array
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
                throw new \RuntimeException(sprintf(__('tilld is not ready: %s', 'tilld-for-woocommerce'), $behind === [] ? '/readyz' : implode(', ', $behind)));
            }
            return __('tilld and its nodes are up.', 'tilld-for-woocommerce');
        });
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
