<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

use WpOrg\Requests\IdnaEncoder;

defined('ABSPATH') || exit;

/** What addresses of sites and daemons mean. */
final class Addresses
{
    /** Names that only a private network resolves, and hidden services, whose connection is encrypted by itself. */
    private const PRIVATE_NAMES = '/(^|\.)(localhost|local|internal|lan|test|home\.arpa|onion)$/D';
    /** RFC 6598: networks of providers and overlays such as Tailscale. PHP counts them as public. */
    private const SHARED_RANGE = '/^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./';

    /**
     * What tells one site from another: host, port and folder. A site that gets a certificate or drops its www. stays the
     * same; another host or folder is another site, a copy for tests for example.
     */
    public static function siteOf(string $url): string
    {
        $parts = (array) wp_parse_url($url);
        $host = preg_replace('/^www\./', '', self::hostIn($parts));
        $port = in_array($parts['port'] ?? null, [null, 80, 443], true) ? '' : ":{$parts['port']}";
        return $host . $port . untrailingslashit($parts['path'] ?? '');
    }

    /**
     * The address of a daemon as somebody typed it, with https where nothing was said. http is for private networks only:
     * elsewhere the key would travel in the clear.
     *
     * @return ?string null for what is no address
     */
    public static function complete(string $typed): ?string
    {
        $text = trim($typed);
        $isBare = preg_match('~^[a-z][a-z0-9+.-]*://~i', $text) !== 1;
        $parts = (array) wp_parse_url($isBare ? "https://{$text}" : $text);
        $host = self::hostIn($parts);
        if ($host === '' || preg_match('/^[a-z0-9.-]+$|^\[[0-9a-f:.]+\]$/D', $host) !== 1) {
            return null;
        }
        $scheme = strtolower($parts['scheme'] ?? 'https');
        if (!in_array($scheme, ['http', 'https'], true) || isset($parts['user'])) {
            return null;
        }
        if ($isBare || $scheme === 'http') {
            $scheme = self::isPrivate($host) ? 'http' : 'https';
        }
        $port = isset($parts['port']) ? ":{$parts['port']}" : '';
        return untrailingslashit("{$scheme}://{$host}{$port}" . ($parts['path'] ?? ''));
    }

    /** In punycode, as browsers and tilld write it; empty where it is no name. */
    private static function hostIn(array $parts): string
    {
        try {
            return IdnaEncoder::encode(strtolower((string) ($parts['host'] ?? '')));
        } catch (\Exception $error) {
            return '';
        }
    }

    private static function isPrivate(string $host): bool
    {
        $ip = trim($host, '[]');
        if (filter_var($ip, FILTER_VALIDATE_IP) !== false) {
            return filter_var($ip, FILTER_VALIDATE_IP, FILTER_FLAG_NO_PRIV_RANGE | FILTER_FLAG_NO_RES_RANGE) === false
                || preg_match(self::SHARED_RANGE, $ip) === 1;
        }
        return strpos($host, '.') === false || preg_match(self::PRIVATE_NAMES, $host) === 1;
    }
}
