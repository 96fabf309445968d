<?php
/**
 * What the driver of the tests has customers, shopkeeper and scheduler do in this site, by WooCommerce's own functions:
 * POST /?shop-test=COMMAND with a JSON object. Runs with the real WooCommerce as with the stand-in.
 */

declare(strict_types=1);

defined('ABSPATH') || exit;

add_action('wp_loaded', static function (): void {
    $command = $_GET['shop-test'] ?? null;
    if (!is_string($command) || !hash_equals((string) getenv('SHOP_TEST_SECRET'), $_SERVER['HTTP_X_SHOP_TEST'] ?? '')) {
        return;
    }
    $given = json_decode((string) file_get_contents('php://input'), true);
    try {
        $answer = ShopCommands::$command($given);
        status_header(200);
    } catch (Throwable $error) {
        $answer = ['error' => $error->getMessage()];
        status_header(500);
    }
    header('Content-Type: application/json');
    echo wp_json_encode($answer);
    exit;
});

// Instead of the site's setting, which takes only languages whose translation of WordPress itself is installed.
add_filter('locale', static function (string $locale): string {
    return get_option('shop_test_locale') ?: $locale;
});

// What the site mails, as lines of JSON.
add_filter('pre_wp_mail', static function ($isSent, array $mail): bool {
    $line = wp_json_encode(['to' => (string) $mail['to'], 'subject' => $mail['subject'], 'text' => $mail['message']]);
    file_put_contents(WP_CONTENT_DIR . '/mails.jsonl', "{$line}\n", FILE_APPEND | LOCK_EX);
    return true;
}, 10, 2);

add_filter('woocommerce_defer_transactional_emails', static function ($isDeferred): bool {
    return (bool) get_option('shop_test_defer', $isDeferred);
});

// As plugins for order numbers do.
add_filter('woocommerce_order_number', static function ($number) {
    return get_option('shop_test_number', $number);
});

// As tilld answers where a changed price comes to a tier of more confirmations: the sandbox has no tiers.
add_filter('pre_http_request', static function ($answer, array $request, string $url) {
    if (!get_option('shop_test_tier') || substr($url, -15) !== '/payment/update') {
        return $answer;
    }
    $problem = ['field' => 'confirmations.BTC', 'code' => 'invalid', 'message' => 'must be at least 8, as this server requires for the amount'];
    $error = ['code' => 'VALIDATION_INVALID', 'message' => "{$problem['field']} {$problem['message']}", 'details' => [$problem]];
    return ['headers' => [], 'body' => wp_json_encode(['success' => false, 'error' => $error, 'data' => null]), 'response' => ['code' => 400, 'message' => ''], 'cookies' => []];
}, 10, 3);

$sendPolicy = static function ($given) {
    $policy = (string) get_option('shop_test_policy');
    if ($policy !== '') {
        header("Content-Security-Policy: {$policy}", false);
    }
    return $given;
};
// The stand-in has no templates. WooCommerce replaces earlier policies on its checkout by one of its own.
add_action('send_headers', $sendPolicy);
add_filter('template_include', $sendPolicy);

// As plugins for several languages do: the home page of each has a folder of its own.
add_filter('home_url', static function (string $url): string {
    $folder = $_GET['shop-test-language'] ?? '';
    return $folder === '' ? $url : str_replace(get_option('home'), get_option('home') . "/{$folder}", $url);
});

// One of four decimals, which WooCommerce does not list: other plugins add theirs in this way.
add_filter('woocommerce_currencies', static function (array $currencies): array {
    return $currencies + ['CLF' => 'Unidad de Fomento'];
});

// The administration stays where it is while the tests move the site.
add_filter('allowed_redirect_hosts', static function (array $hosts): array {
    return array_merge($hosts, [(string) parse_url(WP_SITEURL, PHP_URL_HOST)]);
});

add_filter('woocommerce_api_request_url', static function (string $url, string $request): string {
    return ($request === 'tilld' ? get_option('shop_test_webhook_url') : '') ?: $url;
}, 10, 2);

final class ShopCommands
{
    public static function order(array $given): array
    {
        $via = $given['via'] ?? 'checkout';
        $order = wc_create_order(['created_via' => $via]);
        $order->set_created_via($via);
        $product = wc_get_product((int) get_option('shop_test_product'));
        foreach ($given['lines'] ?? [null] as $total) {
            $order->add_product($product, $given['quantity'], $total === null ? [] : ['subtotal' => $total, 'total' => $total]);
        }
        if (isset($given['currency'])) {
            $order->set_currency($given['currency']);
        }
        $order->set_billing_email($given['email'] ?? '');
        $order->set_payment_method(self::gateway($given['method'] ?? 'tilld'));
        $order->calculate_totals();
        $order->save();
        return ['orderId' => (string) $order->get_id()] + self::pay($order);
    }

    /** The customer comes back, chooses another payment method and goes on to pay. */
    public static function changeMethod(array $given): array
    {
        $order = self::orderOf($given);
        $order->set_payment_method(self::gateway($given['method']));
        $order->save();
        return self::pay($order);
    }

    /** The customer chooses another payment method, and has not paid by it yet. */
    public static function chooseMethod(array $given): array
    {
        $order = self::orderOf($given);
        $order->set_payment_method(self::gateway($given['method']));
        $order->save();
        return [];
    }

    /** As the checkout of blocks does for an order that is paid later: who sends it has its key, and no cart. */
    public static function payByBlocks(array $given): array
    {
        $request = new WP_REST_Request('POST', "/wc/store/v1/checkout/{$given['orderId']}");
        do_action('woocommerce_store_api_checkout_update_order_from_request', self::orderOf($given), $request);
        return [];
    }

    /** What the order screen shows of the payment. */
    public static function screen(array $given): array
    {
        $order = self::orderOf($given);
        $gateway = WC()->payment_gateways()->payment_gateways()[$order->get_payment_method()];
        ob_start();
        do_action('woocommerce_admin_order_data_after_order_details', $order);
        return ['html' => ob_get_clean(), 'transactionUrl' => $gateway->get_transaction_url($order), 'isRefundable' => $gateway->can_refund_order($order)];
    }

    /** The payment methods that customers see, with their icons. */
    public static function methods(): array
    {
        return array_map(static function (WC_Payment_Gateway $gateway): array {
            return ['title' => $gateway->get_title(), 'icon' => $gateway->icon, 'needsSetup' => $gateway->needs_setup()];
        }, WC()->payment_gateways()->get_available_payment_gateways());
    }

    public static function changeCart(array $given): array
    {
        $order = self::orderOf($given);
        $order->remove_order_items('line_item');
        $order->add_product(wc_get_product((int) get_option('shop_test_product')), $given['quantity']);
        $order->calculate_totals();
        $order->save();
        return self::pay($order);
    }

    public static function state(array $given): array
    {
        $order = self::orderOf($given);
        return ['status' => $order->get_status(), 'tilld' => (string) $order->get_meta('_tilld_state')];
    }

    public static function notes(array $given): array
    {
        return array_reverse(array_column(wc_get_order_notes(['order_id' => $given['orderId']]), 'content'));
    }

    public static function cancel(array $given): array
    {
        self::orderOf($given)->update_status('cancelled');
        return [];
    }

    /** As the shopkeeper changes it by hand. */
    public static function setStatus(array $given): array
    {
        self::orderOf($given)->update_status($given['status']);
        return [];
    }

    public static function refund(array $given): array
    {
        $order = self::orderOf($given);
        $refund = wc_create_refund([
            'order_id' => $order->get_id(),
            'amount' => $given['amount'] ?? $order->get_total(),
            'reason' => 'Out of stock',
            'refund_payment' => !($given['byHand'] ?? false),
        ]);
        if (is_wp_error($refund)) {
            throw new RuntimeException($refund->get_error_message());
        }
        return ['refundId' => $refund->get_id()];
    }

    /** The bin beside each refund on the page of the order. */
    public static function deleteRefunds(array $given): array
    {
        foreach (self::orderOf($given)->get_refunds() as $refund) {
            $refundId = $refund->get_id();
            $refund->delete(true);
            do_action('woocommerce_refund_deleted', $refundId, (int) $given['orderId']);
        }
        return [];
    }

    /** As the order's page in the administration does it: the amount is rounded to what the shop shows. Ends the request. */
    public static function refundByPage(array $given): array
    {
        wp_set_current_user(1);
        $refunded = (string) self::orderOf($given)->get_total_refunded();
        $_POST = $_REQUEST = [
            'order_id' => $given['orderId'], 'refund_amount' => $given['amount'], 'refunded_amount' => $refunded, 'refund_reason' => '',
            'line_item_qtys' => '[]', 'line_item_totals' => '[]', 'line_item_tax_totals' => '[]', 'api_refund' => 'true',
            'restock_refunded_items' => 'false', 'security' => wp_create_nonce('order-item'),
        ];
        do_action('wp_ajax_woocommerce_refund_line_items');
        return [];
    }

    /** What the customer at an address was mailed, oldest first. */
    public static function mails(array $given): array
    {
        $lines = array_filter(explode("\n", (string) @file_get_contents(WP_CONTENT_DIR . '/mails.jsonl')));
        $mails = array_map(static function (string $line): array {
            return json_decode($line, true);
        }, $lines);
        return array_values(array_filter($mails, static function (array $mail) use ($given): bool {
            return $mail['to'] === $given['to'];
        }));
    }

    /** The later process of a shop that defers its mails. */
    public static function sendQueuedMails(): array
    {
        global $wpdb;
        foreach ($wpdb->get_col("SELECT option_name FROM {$wpdb->options} WHERE option_name LIKE 'shop_queued_mail_%'") as $name) {
            WC_Emails::send_queued_transactional_email(...get_option($name));
            delete_option($name);
        }
        return [];
    }

    /** The action on the page of the order. */
    public static function deductFee(array $given): array
    {
        $order = self::orderOf($given);
        $actions = apply_filters('woocommerce_order_actions', [], $order);
        if (!isset($actions['tilld_refund_deduct_fee'])) {
            throw new RuntimeException('the page of the order does not offer it');
        }
        do_action('woocommerce_order_action_tilld_refund_deduct_fee', $order);
        return [];
    }

    /** Options of the site itself; null deletes one. */
    public static function options(array $given): array
    {
        foreach ($given as $name => $value) {
            $value === null ? delete_option($name) : update_option($name, $value);
        }
        return [];
    }

    /** Each refund of the order with what became of it. */
    public static function refunds(array $given): array
    {
        return array_map(static function ($refund): array {
            return ['amount' => (string) $refund->get_amount(), 'status' => (string) $refund->get_meta('_tilld_refund_status')];
        }, array_values(self::orderOf($given)->get_refunds()));
    }

    /** The clean-up, as though every unpaid order had been left alone for two hours. */
    public static function cleanUp(): array
    {
        global $wpdb;
        $then = gmdate('Y-m-d H:i:s', time() - 7200);
        $wpdb->query($wpdb->prepare("UPDATE {$wpdb->prefix}wc_orders SET date_updated_gmt = %s WHERE status = 'wc-pending'", $then));
        $wpdb->query($wpdb->prepare("UPDATE {$wpdb->posts} SET post_modified = %s, post_modified_gmt = %s WHERE post_status = 'wc-pending'", $then, $then));
        wp_cache_flush();
        wc_cancel_unpaid_orders();
        return [];
    }

    public static function reconcile(): array
    {
        do_action('tilld_reconcile');
        return [];
    }

    /** Whether the gateway is offered to customers. */
    public static function isOffered(): bool
    {
        return isset(WC()->payment_gateways()->get_available_payment_gateways()['tilld']);
    }

    /** Whether the page of come-back.php has read the order. */
    public static function isBack(array $given): bool
    {
        return get_option('shop_test_back') === $given['orderId'];
    }

    /** Pages for a browser: the checkout of blocks and the classic one, and an article that needs no parcel. */
    public static function pages(): array
    {
        $product = new WC_Product_Simple();
        $product->set_name('Song');
        $product->set_regular_price('20');
        update_option('woocommerce_default_country', 'DE:DE-BE');
        if (!class_exists('WC_Install')) {
            $article = add_query_arg('add-to-cart', $product->save(), home_url('/'));
            return ['blocks' => wc_get_checkout_url(), 'classic' => home_url('/?page=classic'), 'addToCart' => $article];
        }
        $product->set_virtual(true);
        WC_Install::create_pages();
        $classic = ['post_type' => 'page', 'post_status' => 'publish', 'post_title' => 'Classic checkout', 'post_content' => '[woocommerce_checkout]'];
        return [
            'blocks' => get_permalink(wc_get_page_id('checkout')),
            'classic' => get_permalink(wp_insert_post($classic)),
            'addToCart' => add_query_arg('add-to-cart', $product->save(), home_url('/')),
        ];
    }

    /** Another way to pay, ahead of tilld in the list. */
    public static function offerTransfer(): array
    {
        update_option('woocommerce_bacs_settings', ['enabled' => 'yes', 'title' => 'Bank transfer']);
        return [];
    }

    /** Addresses of an order for its customer, and what the list of his orders offers. */
    public static function orderPages(array $given): array
    {
        $order = self::orderOf($given);
        return [
            'back' => \Tilld\WooCommerce\WayBack::url($order),
            'received' => $order->get_checkout_order_received_url(),
            'pay' => $order->get_checkout_payment_url(),
            'view' => $order->get_view_order_url(),
            'actions' => array_map(static function (array $action): array {
                return ['name' => $action['name'], 'url' => $action['url']];
            }, wc_get_account_orders_actions($order)),
        ];
    }

    /** The orders of a customer that have a payment, oldest first. */
    public static function ordersOf(array $given): array
    {
        $orders = array_map('wc_get_order', wc_get_orders(['billing_email' => $given['email'], 'limit' => 50, 'return' => 'ids']));
        return array_map(static function (WC_Order $order): array {
            return ['orderId' => (string) $order->get_id(), 'status' => $order->get_status(), 'paymentId' => (string) $order->get_meta('_tilld_payment')];
        }, array_reverse($orders));
    }

    /** A lock that another process took over meanwhile, for this one was slow: whether it is still that one's afterwards. */
    public static function overtakenLock(): array
    {
        global $wpdb;
        $row = ['option_name' => 'tilld_lock_overtaken'];
        \Tilld\WooCommerce\Lock::hold('overtaken', static function () use ($wpdb, $row): void {
            $wpdb->update($wpdb->options, ['option_value' => time() . '-another'], $row);
        });
        $isKept = $wpdb->get_var("SELECT COUNT(*) FROM {$wpdb->options} WHERE option_name = 'tilld_lock_overtaken'") === '1';
        $wpdb->delete($wpdb->options, $row);
        return ['isKept' => $isKept];
    }

    /** Changes settings of the gateway. */
    public static function set(array $given): array
    {
        update_option('woocommerce_tilld_settings', $given + get_option('woocommerce_tilld_settings'));
        return [];
    }

    /** Of the site that a page belongs to. */
    public static function origin(array $given): string
    {
        return \Tilld\WooCommerce\Embedding::originOf($given['url']);
    }

    /** Whether each changed price comes to a tier of more confirmations. */
    public static function tier(array $given): array
    {
        update_option('shop_test_tier', $given['isReached']);
        return [];
    }

    /** The content security policy of the shop's pages. */
    public static function policy(array $given): array
    {
        update_option('shop_test_policy', $given['policy']);
        return [];
    }

    public static function speak(array $given): array
    {
        update_option('shop_test_locale', $given['locale']);
        return [];
    }

    /** What the site keeps of the plugin. */
    public static function traces(): array
    {
        global $wpdb;
        return $wpdb->get_col("SELECT option_name FROM {$wpdb->options} WHERE option_name LIKE '%tilld%' ORDER BY option_name");
    }

    /** The address that the site says to have; it stays reachable for the administrator where it is. */
    public static function move(array $given): array
    {
        update_option('home', $given['home']);
        return [];
    }

    /** As though the shop had been connected, and the job run, so many seconds earlier. */
    public static function age(array $given): array
    {
        $connection = get_option('tilld_connection');
        update_option('tilld_connection', ['openedAt' => $connection['openedAt'] - $given['seconds']] + $connection);
        foreach (['tilld_last_run', 'tilld_last_reconcile', 'tilld_job_late_since'] as $option) {
            if (get_option($option)) {
                update_option($option, get_option($option) - $given['seconds']);
            }
        }
        return [];
    }

    /** What a copy of the database takes with it, and putting it back. */
    public static function saveOptions(): array
    {
        return ['tilld_connection' => get_option('tilld_connection'), 'tilld_site' => get_option('tilld_site')];
    }

    public static function restoreOptions(array $given): array
    {
        array_map('update_option', array_keys($given['options']), array_values($given['options']));
        return [];
    }

    /** Whatever was sealed with the salts before: here the key, by one byte. */
    public static function changeSalts(): array
    {
        $connection = get_option('tilld_connection');
        $sealed = base64_decode($connection['key']);
        $sealed[-1] = chr(ord($sealed[-1]) ^ 1);
        update_option('tilld_connection', ['key' => base64_encode($sealed)] + $connection);
        return [];
    }

    /** Where a filter of the site has webhooks sent. */
    public static function sendWebhooksTo(array $given): array
    {
        update_option('shop_test_webhook_url', $given['url']);
        return [];
    }

    public static function forgetWebhooks(): array
    {
        delete_option('tilld_last_webhook');
        return [];
    }

    /** Site Health, by test: its status and what it says. The one that asks tilld goes by the REST API, as the page does. */
    public static function siteHealth(): array
    {
        $tests = apply_filters('site_status_tests', ['direct' => [], 'async' => []]);
        $request = new WP_REST_Request('GET', '/tilld/v1/site-health');
        wp_set_current_user(0);
        $stranger = rest_do_request($request)->get_status();
        wp_set_current_user(1);
        $results = array_map(static function (array $test): array {
            return $test['test']();
        }, $tests['direct']) + ['tilld_daemon' => rest_do_request($request)->get_data()];
        return ['stranger' => $stranger, 'results' => array_map(static function (array $result): array {
            return ['status' => $result['status'], 'text' => wp_strip_all_tags($result['description'])];
        }, $results)];
    }

    /** What becomes of addresses that a shopkeeper types, and whether pairs of addresses are of one site. */
    public static function addresses(array $given): array
    {
        return [
            'completed' => array_map(['Tilld\\WooCommerce\\Addresses', 'complete'], $given['typed']),
            'sites' => array_map(['Tilld\\WooCommerce\\Addresses', 'siteOf'], $given['sites']),
        ];
    }

    /** The tools of WordPress for requests of people about their data: all steps of ours, as the administrator's page takes them. */
    public static function exportPerson(array $given): array
    {
        $exporter = apply_filters('wp_privacy_personal_data_exporters', [])['tilld-for-woocommerce']['callback'];
        $items = [];
        $page = 0;
        do {
            $answer = $exporter($given['email'], ++$page);
            if (is_wp_error($answer)) {
                return ['error' => $answer->get_error_message()];
            }
            foreach ($answer['data'] as $item) {
                $items[] = array_column($item['data'], 'value', 'name');
            }
        } while (!$answer['done']);
        return ['pages' => $page, 'items' => $items];
    }

    public static function erasePerson(array $given): array
    {
        return apply_filters('wp_privacy_personal_data_erasers', [])['tilld-for-woocommerce']['callback']($given['email'], 1);
    }

    public static function needsSetup(): bool
    {
        return WC()->payment_gateways()->payment_gateways()['tilld']->needs_setup();
    }

    public static function uninstall(array $given): array
    {
        require_once ABSPATH . 'wp-admin/includes/plugin.php';
        deactivate_plugins($given['plugin']);
        uninstall_plugin($given['plugin']);
        return [];
    }

    private static function pay(WC_Order $order): array
    {
        $result = self::gateway($order->get_payment_method())->process_payment($order->get_id());
        if ($result['result'] !== 'success') {
            throw new RuntimeException('the checkout refused the order');
        }
        $paymentId = (string) wc_get_order($order->get_id())->get_meta('_tilld_payment');
        return ['paymentId' => $paymentId, 'checkoutUrl' => $result['redirect']];
    }

    private static function gateway(string $id): WC_Payment_Gateway
    {
        $available = WC()->payment_gateways()->get_available_payment_gateways();
        if (!isset($available[$id])) {
            throw new RuntimeException("{$id} is not offered");
        }
        return $available[$id];
    }

    private static function orderOf(array $given): WC_Order
    {
        $order = wc_get_order($given['orderId']);
        if (!$order instanceof WC_Order) {
            throw new RuntimeException('no such order');
        }
        return $order;
    }
}
