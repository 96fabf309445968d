<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

use Tilld\ConnectionException;
use Tilld\Tilld;

defined('ABSPATH') || exit;

/** The link to tilld: where it is, the key that its owner agreed to, and the webhook endpoint made with it. */
final class Connection
{
    public const SCOPES = ['payments:write', 'refunds:write', 'customers:write', 'events:read', 'webhooks:write'];

    /** What changes an order or its refunds; of the rest nothing has to be done here. */
    private const EVENTS = [
        'payment.confirming', 'payment.underpaid', 'payment.completed', 'payment.overpaid', 'payment.late', 'payment.expired', 'payment.cancelled', 'payment.superseded', 'payment.reversed',
        'payment.failed', 'payment.refunded', 'payment.refund_failed', 'refund.claimed', 'refund.delayed', 'refund.paid', 'refund.expired', 'refund.cancelled', 'webhook.test',
    ];

    private const OPTION = 'tilld_connection';
    private const SITE = 'tilld_site';
    private const TIMEOUT_SECONDS = 10;

    /** @var array<string, true> Addresses that did not answer: the thousand sites of a network must not each wait for it. */
    private static $unreachable = [];

    /** Null while there is none, or this is a copy of the connected site: a copy must not touch its payments. */
    public static function get(): ?array
    {
        $stored = get_option(self::OPTION);
        if (!is_array($stored) || $stored['home'] !== self::home()) {
            return null;
        }
        $key = Vault::open($stored['key']);
        $secrets = array_values(array_filter(array_map([Vault::class, 'open'], $stored['secrets']), 'is_string'));
        return $key === null ? null : ['key' => $key, 'secrets' => $secrets] + $stored;
    }

    /** Whether another address is connected by this database. */
    public static function isCopy(): bool
    {
        $stored = get_option(self::OPTION);
        return is_array($stored) && $stored['home'] !== self::home();
    }

    /** @throws NotConnected */
    public static function client(int $retries = 1): Tilld
    {
        $connection = self::get();
        if ($connection === null) {
            throw new NotConnected('this shop is not connected to tilld');
        }
        return self::clientOf($connection['url'], $connection['key'], $retries);
    }

    public static function clientOf(string $url, ?string $key, int $retries = 1): Tilld
    {
        $budget = 2 * self::TIMEOUT_SECONDS;
        return new Tilld(['baseUrl' => $url, 'key' => $key, 'transport' => new Transport(), 'timeout' => self::TIMEOUT_SECONDS, 'retries' => $retries, 'retryBudget' => $budget]);
    }

    /**
     * Keeps what the owner granted, and has webhooks come here.
     *
     * @param array{merchantId: string, key: string} $granted
     */
    public static function open(string $url, array $granted): void
    {
        $previous = get_option(self::OPTION);
        $endpoint = self::endpointOf(self::clientOf($url, $granted['key'], 2));
        update_option(self::OPTION, [
            'url' => $url,
            'home' => self::home(),
            'merchantId' => $granted['merchantId'],
            'key' => Vault::seal($granted['key']),
            'endpointId' => $endpoint['id'],
            'secrets' => [Vault::seal($endpoint['secret'])],
        ], false);
        // The cursor counts the events of one shop of one daemon.
        if (!is_array($previous) || $previous['merchantId'] !== $granted['merchantId'] || $previous['url'] !== $url) {
            Reconcile::startOver();
        }
    }

    /** Has nothing more sent here and forgets the key. */
    public static function close(): void
    {
        $connection = self::get();
        if ($connection !== null && !isset(self::$unreachable[$connection['url']])) {
            try {
                self::client(0)->endpoints->edit(['endpointId' => $connection['endpointId'], 'active' => false]);
            } catch (\Throwable $error) {
                if ($error instanceof ConnectionException) {
                    self::$unreachable[$connection['url']] = true;
                }
                Log::warning("the webhook endpoint {$connection['endpointId']} could not be switched off: delete it in tilld", $error);
            }
        }
        delete_option(self::OPTION);
    }

    public static function webhookUrl(): string
    {
        return WC()->api_request_url(GATEWAY);
    }

    /** As it is stored: home_url() differs by the language, and by http or https, of each request. */
    private static function home(): string
    {
        return (string) get_option('home');
    }

    /** Names this site in its payments. */
    public static function site(): string
    {
        $site = get_option(self::SITE);
        if (!is_string($site) || $site === '') {
            $site = wp_generate_uuid4();
            add_option(self::SITE, $site, '', false);
            $site = (string) get_option(self::SITE, $site);
        }
        return $site;
    }

    /** The endpoint for this address: an earlier one keeps the webhooks that still wait for it. */
    private static function endpointOf(Tilld $till): array
    {
        foreach ($till->endpoints->list()['endpoints'] as $endpoint) {
            if ($endpoint['url'] === self::webhookUrl() && !$endpoint['default']) {
                $till->endpoints->edit(['endpointId' => $endpoint['id'], 'active' => true, 'events' => self::EVENTS]);
                return ['id' => $endpoint['id'], 'secret' => $till->endpoints->secret(['endpointId' => $endpoint['id']])['secret']];
            }
        }
        $made = $till->endpoints->create(['url' => self::webhookUrl(), 'events' => self::EVENTS]);
        return ['id' => $made['id'], 'secret' => $made['secret']];
    }
}

final class NotConnected extends \RuntimeException
{
}
