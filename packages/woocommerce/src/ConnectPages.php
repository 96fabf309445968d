<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

use Tilld\Tilld;

defined('ABSPATH') || exit;

/** The way of the shopkeeper to tilld's connect page and back: no secret is copied by hand. */
final class ConnectPages
{
    private const PENDING_SECONDS = 1800;

    public static function hook(): void
    {
        add_action('admin_post_tilld_connect', [self::class, 'leave']);
        add_action('admin_post_tilld_connected', [self::class, 'comeBack']);
        add_action('admin_post_tilld_disconnect', [self::class, 'disconnect']);
        add_action('admin_post_tilld_take_over', [self::class, 'takeOver']);
        add_action('admin_post_tilld_test', [self::class, 'test']);
    }

    /** @param string $step connect, disconnect, take_over or test */
    public static function link(string $step): string
    {
        return wp_nonce_url(admin_url("admin-post.php?action=tilld_{$step}"), "tilld_{$step}");
    }

    /** To tilld, which asks the owner. */
    public static function leave(): void
    {
        self::mayOrDie();
        check_admin_referer('tilld_connect');
        $url = Gateway::tilldUrl();
        if ($url === '') {
            self::toSettings('no-url');
        }
        $secrets = Tilld::connectSecrets();
        $pending = ['url' => $url, 'state' => $secrets['state'], 'verifier' => Vault::seal($secrets['codeVerifier'])];
        set_transient(self::transient(), $pending, self::PENDING_SECONDS);
        $address = Tilld::connectUrl([
            'baseUrl' => $url,
            'name' => wp_specialchars_decode(get_bloginfo('name'), ENT_QUOTES) . ' (WooCommerce)',
            'scopes' => Connection::SCOPES,
            'redirectUrl' => admin_url('admin-post.php?action=tilld_connected'),
            'state' => $secrets['state'],
            'codeChallenge' => $secrets['codeChallenge'],
        ]);
        // phpcs:ignore WordPress.Security.SafeRedirect.wp_redirect_wp_redirect -- tilld is another host, which the shopkeeper named
        wp_redirect($address);
        exit;
    }

    /** From tilld, with a code or a refusal. In place of a nonce it brings back the state, which only this user's browser was given. */
    public static function comeBack(): void
    {
        self::mayOrDie();
        // phpcs:disable WordPress.Security.NonceVerification.Recommended -- the state below
        $pending = get_transient(self::transient());
        $state = isset($_GET['state']) ? sanitize_text_field(wp_unslash($_GET['state'])) : '';
        if (!is_array($pending) || !hash_equals($pending['state'], $state)) {
            self::toSettings('stale');
        }
        delete_transient(self::transient());
        $code = isset($_GET['code']) ? sanitize_text_field(wp_unslash($_GET['code'])) : '';
        // phpcs:enable WordPress.Security.NonceVerification.Recommended
        $verifier = Vault::open($pending['verifier']);
        if ($code === '' || $verifier === null) {
            self::toSettings('refused');
        }
        try {
            $till = Connection::clientOf($pending['url'], null, 2);
            // The same key at every attempt: a code is spent by its first use, whether or not the answer arrives.
            $granted = $till->connect->token(['code' => $code, 'codeVerifier' => $verifier], ['idempotencyKey' => hash('sha256', $code)]);
            Connection::open($pending['url'], $granted);
            Embedding::forget();
        } catch (\Throwable $error) {
            Log::error('connecting failed', $error);
            self::toSettings('failed');
        }
        Log::info('connected to ' . $pending['url']);
        Reconcile::schedule();
        Connection::test();
        Reconcile::run();
        self::toSettings(Health::lastWebhook()['ok'] ? 'connected' : 'no-webhook');
    }

    public static function disconnect(): void
    {
        self::mayOrDie();
        check_admin_referer('tilld_disconnect');
        Connection::close();
        self::toSettings('disconnected');
    }

    /** The shop itself has moved to this address. */
    public static function takeOver(): void
    {
        self::mayOrDie();
        check_admin_referer('tilld_take_over');
        Connection::takeOver();
        try {
            Connection::follow();
        } catch (\Throwable $error) {
            Log::warning('webhooks still go to the earlier address, the job tries again', $error);
        }
        Connection::test();
        Reconcile::run();
        self::toSettings('taken-over');
    }

    public static function test(): void
    {
        self::mayOrDie();
        check_admin_referer('tilld_test');
        $before = time();
        Connection::test();
        self::toSettings(Health::hasWebhookSince($before) ? 'webhook' : 'no-webhook');
    }

    /** What became of it, for the settings page. */
    public static function message(string $outcome): ?string
    {
        $messages = [
            'connected' => __('Connected: tilld knows this shop now.', 'tilld-for-woocommerce'),
            'no-webhook' => __('Connected, but the test webhook did not arrive. tilld may not be able to reach this address. WooCommerce > Status > Logs (tilld) says more.', 'tilld-for-woocommerce'),
            'webhook' => __('The test webhook arrived.', 'tilld-for-woocommerce'),
            'taken-over' => __('Payments and webhooks continue at this address.', 'tilld-for-woocommerce'),
            'disconnected' => __('Disconnected. Delete the key in tilld as well, if nothing else uses it.', 'tilld-for-woocommerce'),
            'no-url' => __('Enter the address of tilld and save it first.', 'tilld-for-woocommerce'),
            'stale' => __('That took too long, or was begun in another browser. Please connect again.', 'tilld-for-woocommerce'),
            'refused' => __('tilld was not allowed to connect this shop.', 'tilld-for-woocommerce'),
            'failed' => __('Connecting failed. WooCommerce > Status > Logs (tilld) says why.', 'tilld-for-woocommerce'),
        ];
        return $messages[$outcome] ?? null;
    }

    /** Bound to the user who began. */
    private static function transient(): string
    {
        return 'tilld_connect_' . get_current_user_id();
    }

    private static function mayOrDie(): void
    {
        if (!current_user_can('manage_woocommerce')) {
            wp_die(esc_html__('You are not allowed to do this.', 'tilld-for-woocommerce'), '', ['response' => 403]);
        }
    }

    private static function toSettings(string $outcome): void
    {
        wp_safe_redirect(add_query_arg(['tilld' => $outcome, 'tilld_nonce' => wp_create_nonce('tilld_outcome')], Plugin::settingsUrl()));
        exit;
    }
}
