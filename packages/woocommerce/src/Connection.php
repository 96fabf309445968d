<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

use Tilld\AuthenticationException;
use Tilld\ConnectionException;
use Tilld\NotFoundException;
use Tilld\Tilld;

defined('ABSPATH') || exit;

/** The link to tilld: where it is, the key that its owner agreed to, and the webhook endpoint made with it. */
final class Connection
{
    public const SCOPES = ['payments:write', 'refunds:write', 'customers:write', 'events:read', 'webhooks:write'];

    /** What changes an order or its refunds; of the rest nothing has to be done here. */
    private const EVENTS = [
        'payment.confirming', 'payment.underpaid', 'payment.completed', 'payment.overpaid', 'payment.late', 'payment.expired', 'payment.cancelled', 'payment.superseded', 'payment.reversed',
        'payment.failed', 'payment.refunded', 'payment.partially_refunded', 'payment.refund_failed', 'refund.claimed', 'refund.delayed', 'refund.paid', 'refund.expired', 'refund.cancelled', 'webhook.test',
    ];

    private const OPTION = 'tilld_connection';
    private const SITE = 'tilld_site';
    private const TIMEOUT_SECONDS = 10;
    /** tilld gives an attempt 15 seconds. */
    private const TEST_TIMEOUT_SECONDS = 20;
    private const MAX_OLD_KEYS = 5;
    /** Where a customer waits for a page that can also be drawn without an answer. */
    private const BRIEF_SECONDS = 4;

    /** @var bool */
    private static $isBrief = false;

    /** @var array<string, true> Addresses that did not answer: the thousand sites of a network must not each wait for it. */
    private static $unreachable = [];

    /** Null while there is none, or the site is at another address than the connected one: a copy must not touch its payments. */
    public static function get(): ?array
    {
        $stored = get_option(self::OPTION);
        if (!is_array($stored) || self::isMoved()) {
            return null;
        }
        $key = Vault::open($stored['key']);
        $secrets = array_values(array_filter(array_map([Vault::class, 'open'], $stored['secrets']), 'is_string'));
        return $key === null ? null : ['key' => $key, 'secrets' => $secrets] + $stored + ['openedAt' => 0, 'webhookUrl' => '', 'oldKeys' => []];
    }

    /** Whether the database was connected at another address: the shop has moved, or this is a copy of it. */
    public static function isMoved(): bool
    {
        $stored = get_option(self::OPTION);
        return is_array($stored) && Addresses::siteOf($stored['home']) !== Addresses::siteOf(self::home());
    }

    /** Whether a key is stored that this site cannot read: the salts of wp-config.php have changed since. */
    public static function isSealed(): bool
    {
        return is_array(get_option(self::OPTION)) && !self::isMoved() && self::get() === null;
    }

    /** The address at which the shop was connected. */
    public static function connectedHome(): string
    {
        $stored = get_option(self::OPTION);
        return is_array($stored) ? (string) $stored['home'] : '';
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

    /** Asks once and for seconds only while it does the work: what is stored decides where no answer comes. */
    public static function beBrief(callable $work): void
    {
        self::$isBrief = true;
        try {
            $work();
        } finally {
            self::$isBrief = false;
        }
    }

    public static function clientOf(string $url, ?string $key, int $retries = 1): Tilld
    {
        $timeout = self::$isBrief ? self::BRIEF_SECONDS : self::TIMEOUT_SECONDS;
        $retries = self::$isBrief ? 0 : $retries;
        return new Tilld(['baseUrl' => $url, 'key' => $key, 'transport' => new Transport(), 'timeout' => $timeout, 'retries' => $retries, 'retryBudget' => 2 * $timeout]);
    }

    /**
     * Keeps what the owner granted, and has webhooks come here.
     *
     * @param array{merchantId: string, key: string} $granted
     */
    public static function open(string $url, array $granted): void
    {
        if (self::isMoved()) {
            // A copy of a shop: key, cursor and payments of the other belong to that one.
            delete_option(self::OPTION);
            delete_option(self::SITE);
        }
        $previous = get_option(self::OPTION);
        $endpoint = self::endpointOf(self::clientOf($url, $granted['key'], 2));
        $oldKeys = is_array($previous) ? array_merge($previous['oldKeys'] ?? [], [['url' => $previous['url'], 'key' => $previous['key']]]) : [];
        update_option(self::OPTION, [
            'url' => $url,
            'home' => self::home(),
            'merchantId' => $granted['merchantId'],
            'key' => Vault::seal($granted['key']),
            'endpointId' => $endpoint['id'],
            'secrets' => [Vault::seal($endpoint['secret'])],
            'webhookUrl' => self::webhookUrl(),
            'openedAt' => time(),
            'oldKeys' => array_slice($oldKeys, -self::MAX_OLD_KEYS),
        ], false);
        // The cursor counts the events of one shop of one daemon.
        if (!is_array($previous) || $previous['merchantId'] !== $granted['merchantId'] || $previous['url'] !== $url) {
            Reconcile::startOver();
        }
    }

    /** Has tilld send a test webhook now. It has come when Health says so. */
    public static function test(): void
    {
        $connection = self::get();
        if ($connection === null) {
            return;
        }
        try {
            $sent = self::client(0)->webhooks->test(['endpointId' => $connection['endpointId']], ['timeout' => self::TEST_TIMEOUT_SECONDS]);
            if ($sent['error'] !== null || $sent['status'] < 200 || $sent['status'] > 299) {
                Log::warning("the test webhook was answered with {$sent['status']}: " . (string) $sent['error']);
            }
        } catch (\Throwable $error) {
            Log::warning('the test webhook could not be asked for', $error);
        }
    }

    /**
     * Has webhooks come to the address that the site has now: it changes with http and https or www.
     *
     * @throws \Tilld\TilldException
     */
    public static function follow(): void
    {
        $connection = self::get();
        $url = self::webhookUrl();
        if ($connection === null || ($connection['webhookUrl'] === $url && $connection['home'] === self::home())) {
            return;
        }
        $changes = ['home' => self::home(), 'webhookUrl' => $url];
        try {
            self::client()->endpoints->edit(['endpointId' => $connection['endpointId'], 'url' => $url]);
        } catch (NotFoundException $error) {
            $endpoint = self::endpointOf(self::client());
            $changes += ['endpointId' => $endpoint['id'], 'secrets' => [Vault::seal($endpoint['secret'])]];
        }
        self::change($changes);
        Log::info("webhooks come to {$url} now");
    }

    /** The shop itself has moved to this address: payments and webhooks go on here. */
    public static function takeOver(): void
    {
        if (self::isMoved()) {
            self::change(['home' => self::home()]);
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

    /**
     * The ends of earlier keys that tilld still accepts. No key may end another, so its owner has to.
     *
     * @return string[]
     */
    public static function liveOldKeys(): array
    {
        $connection = self::get();
        $live = [];
        foreach ($connection['oldKeys'] ?? [] as $old) {
            $key = Vault::open($old['key']);
            if ($key !== null && self::isAccepted($old['url'], $key)) {
                $live[substr($key, -4)] = $old;
            }
        }
        if ($connection !== null && count($live) !== count($connection['oldKeys'])) {
            self::change(['oldKeys' => array_values($live)]);
        }
        return array_map('strval', array_keys($live));
    }

    /** The last characters of the key, as tilld lists it. */
    public static function keyEnd(): string
    {
        $connection = self::get();
        return $connection === null ? '' : substr($connection['key'], -4);
    }

    /**
     * Where webhooks come. By the stored address, because home_url() differs by the language, and by http or https, of
     * each request; and by a query, which works whatever the permalinks are.
     */
    public static function webhookUrl(): string
    {
        $home = self::home();
        $stored = get_option(self::OPTION);
        $wasSecure = is_array($stored) && $stored['home'] === $home && strpos($stored['webhookUrl'] ?? '', 'https:') === 0;
        $url = add_query_arg('wc-api', GATEWAY, trailingslashit(set_url_scheme($home, $wasSecure || is_ssl() ? 'https' : self::schemeOf($home))));
        // phpcs:ignore WordPress.NamingConventions.PrefixAllGlobals -- the filter of WooCommerce for this very address
        return (string) apply_filters('woocommerce_api_request_url', $url, GATEWAY, null);
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

    private static function home(): string
    {
        return (string) get_option('home');
    }

    private static function schemeOf(string $url): string
    {
        return wp_parse_url($url, PHP_URL_SCHEME) === 'https' ? 'https' : 'http';
    }

    private static function change(array $changes): void
    {
        $stored = get_option(self::OPTION);
        if (is_array($stored)) {
            update_option(self::OPTION, $changes + $stored, false);
        }
    }

    /** What cannot be asked counts as accepted: nothing is concluded from silence. */
    private static function isAccepted(string $url, string $key): bool
    {
        try {
            self::clientOf($url, $key, 0)->events->list(['limit' => 1]);
        } catch (AuthenticationException $error) {
            return false;
        } catch (\Throwable $error) {
            return true;
        }
        return true;
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
