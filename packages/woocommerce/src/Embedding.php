<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

defined('ABSPATH') || exit;

/** Whether browsers let pages of this shop show the page of tilld: its settings name the sites that may. */
final class Embedding
{
    private const KEPT = 'tilld_embed_origins';
    private const KEPT_SECONDS = 300;

    /** Unknown is no: customers are led to the page of tilld then. */
    public static function isAllowed(string $pageUrl): bool
    {
        $kept = get_transient(self::KEPT);
        try {
            return in_array(self::originOf($pageUrl), is_array($kept) ? $kept : self::ask(), true);
        } catch (\Throwable $error) {
            Log::warning('whether the shop may show the page of tilld is unknown', $error);
            // Asked again soon, and not by each customer meanwhile.
            set_transient(self::KEPT, [], 60);
            return false;
        }
    }

    /** @return string[] origins, as tilld has them now */
    public static function ask(): array
    {
        $connection = Connection::get();
        $allowed = [];
        foreach (Connection::client(0)->merchants->list()['merchants'] as $merchant) {
            if ($connection !== null && $merchant['id'] === $connection['merchantId']) {
                $verified = $merchant['isVerified'] ? ["https://{$merchant['domain']}"] : [];
                $allowed = array_merge($verified, $merchant['embedOrigins']);
            }
        }
        set_transient(self::KEPT, $allowed, self::KEPT_SECONDS);
        return $allowed;
    }

    public static function forget(): void
    {
        delete_transient(self::KEPT);
    }

    /** As browsers write it. */
    public static function originOf(string $url): string
    {
        $parts = wp_parse_url($url);
        $scheme = strtolower($parts['scheme'] ?? '');
        $port = $parts['port'] ?? null;
        $isUsual = $port === null || $port === (['http' => 80, 'https' => 443][$scheme] ?? null);
        // Punycode, which is what tilld and browsers compare.
        $host = \WpOrg\Requests\IdnaEncoder::encode(strtolower($parts['host'] ?? ''));
        return "{$scheme}://{$host}" . ($isUsual ? '' : ":{$port}");
    }

    /** What the settings page says, and what the shopkeeper can do. */
    public static function show(): void
    {
        if (!PaymentSettings::isInPlace() || Connection::get() === null) {
            return;
        }
        $origin = self::originOf(wc_get_checkout_url());
        try {
            $isAllowed = in_array($origin, self::ask(), true);
            $text = $isAllowed
                ? __('Opens over a page of this shop.', 'tilld-for-woocommerce')
                /* translators: %s: address of the shop */
                : sprintf(__('Customers go to the page of tilld. To open it over a page of this shop, enter %s in the settings of tilld, under "Embedded checkout".', 'tilld-for-woocommerce'), $origin);
        } catch (\Throwable $error) {
            $isAllowed = false;
            $text = $error->getMessage();
        }
        echo '<tr data-tilld-embedding="' . ($isAllowed ? 'ok' : 'bad') . '"><th>' . esc_html__('Payment page', 'tilld-for-woocommerce') . '</th><td>' . esc_html(($isAllowed ? '✓ ' : '✗ ') . $text);
        if (!$isAllowed) {
            echo ' <a href="' . esc_url(Dashboard::settingsUrl()) . '" target="_blank" rel="noopener">' . esc_html__('Settings of tilld', 'tilld-for-woocommerce') . '</a>';
        }
        echo '</td></tr>';
    }
}
