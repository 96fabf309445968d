<?php

declare(strict_types=1);

use Automattic\WooCommerce\Caches\OrderCache;

defined('ABSPATH') || exit;

function shop_create_tables(): void
{
    global $wpdb;
    $wpdb->query("CREATE TABLE IF NOT EXISTS {$wpdb->prefix}wc_orders (id BIGINT AUTO_INCREMENT PRIMARY KEY, type VARCHAR(20), parent_order_id BIGINT, status VARCHAR(20), date_updated_gmt DATETIME, fields LONGTEXT)");
    $wpdb->query("CREATE TABLE IF NOT EXISTS {$wpdb->prefix}wc_orders_meta (order_id BIGINT, meta_key VARCHAR(100), meta_value LONGTEXT, PRIMARY KEY (order_id, meta_key))");
    $wpdb->query("CREATE TABLE IF NOT EXISTS {$wpdb->prefix}shop_notes (id BIGINT AUTO_INCREMENT PRIMARY KEY, order_id BIGINT, customer_note TINYINT, content LONGTEXT)");
}

/** Something that is bought, and a line of an order. */
final class WC_Product_Simple
{
    public $name = '';
    public $price = '0';

    public function set_name(string $name): void
    {
        $this->name = $name;
    }

    public function set_regular_price(string $price): void
    {
        $this->price = $price;
    }

    public function save(): int
    {
        update_option('shop_product', [$this->name, $this->price]);
        return 1;
    }
}

function wc_get_product(int $id): WC_Product_Simple
{
    $product = new WC_Product_Simple();
    [$product->name, $product->price] = get_option('shop_product');
    return $product;
}

final class WC_Order_Item_Product
{
    private $fields;

    public function __construct(array $fields)
    {
        $this->fields = $fields;
    }

    public function get_name(): string
    {
        return $this->fields['name'];
    }

    public function get_quantity(): int
    {
        return $this->fields['quantity'];
    }

    public function get_total(): string
    {
        return $this->fields['total'];
    }
}

/**
 * Fields with their changes until they are saved, and meta. Only what changed is written, as WooCommerce does: an order
 * that another process has saved meanwhile keeps the rest.
 */
abstract class WC_Abstract_Order
{
    protected const TYPE = 'shop_order';
    protected $object_type = 'order';
    private $id = 0;
    private $data = [
        'status' => '', 'total' => '0', 'currency' => 'USD', 'billing_email' => '', 'payment_method' => '', 'payment_method_title' => '',
        'created_via' => '', 'transaction_id' => '', 'order_key' => '', 'parent_id' => 0, 'amount' => '0', 'reason' => '', 'items' => [], 'date_paid' => null, 'cart_hash' => '', 'customer_id' => 0,
        'refunded_payment' => false,
    ];
    private $changes = [];
    private $meta = [];
    private $changedMeta = [];

    public function __construct(int $id = 0)
    {
        if ($id === 0) {
            return;
        }
        global $wpdb;
        $row = $wpdb->get_row($wpdb->prepare("SELECT * FROM {$wpdb->prefix}wc_orders WHERE id = %d", $id), ARRAY_A);
        if ($row === null || $row['type'] !== static::TYPE) {
            throw new Exception('Invalid order.');
        }
        $this->id = $id;
        $this->data = array_merge($this->data, json_decode($row['fields'], true), ['status' => substr($row['status'], 3), 'parent_id' => (int) $row['parent_order_id']]);
        foreach ($wpdb->get_results($wpdb->prepare("SELECT meta_key, meta_value FROM {$wpdb->prefix}wc_orders_meta WHERE order_id = %d", $id)) as $meta) {
            $this->meta[$meta->meta_key] = $meta->meta_value;
        }
        // By the same setter as any change, which rounds to what the shop shows now.
        $this->set_total($this->data['total']);
        $this->data['total'] = $this->get_total();
        $this->changes = [];
    }

    /** @param string|float $value */
    public function set_total($value): void
    {
        $this->set('total', wc_format_decimal($value, wc_get_price_decimals()));
    }

    /** get_x and set_x of the fields above; anything else does not exist. */
    public function __call(string $method, array $given)
    {
        $name = substr($method, 4);
        if (!array_key_exists($name, $this->data)) {
            throw new BadMethodCallException("an order has no {$method}");
        }
        if (strpos($method, 'get_') === 0) {
            return array_key_exists($name, $this->changes) ? $this->changes[$name] : $this->data[$name];
        }
        $this->set($name, $given[0]);
    }

    public function get_id(): int
    {
        return $this->id;
    }

    public function get_changes(): array
    {
        return $this->changes;
    }

    public function get_meta(string $name)
    {
        return $this->meta[$name] ?? '';
    }

    public function update_meta_data(string $name, $value): void
    {
        $this->meta[$name] = $value;
        $this->changedMeta[$name] = true;
    }

    public function save_meta_data(): void
    {
        global $wpdb;
        foreach (array_keys($this->changedMeta) as $name) {
            $wpdb->replace("{$wpdb->prefix}wc_orders_meta", ['order_id' => $this->id, 'meta_key' => $name, 'meta_value' => $this->meta[$name]]);
        }
        $this->changedMeta = [];
    }

    public function save(): int
    {
        do_action("woocommerce_before_{$this->object_type}_object_save", $this, null);
        global $wpdb;
        $table = "{$wpdb->prefix}wc_orders";
        $now = gmdate('Y-m-d H:i:s');
        if ($this->id === 0) {
            $wpdb->insert($table, ['type' => static::TYPE, 'fields' => '{}', 'status' => 'wc-pending', 'date_updated_gmt' => $now]);
            $this->id = (int) $wpdb->insert_id;
            $this->changes += $this->data;
        }
        $changes = $this->changes;
        $row = ['date_updated_gmt' => $now];
        if (isset($changes['status'])) {
            $row['status'] = 'wc-' . $changes['status'];
        }
        if (isset($changes['parent_id'])) {
            $row['parent_order_id'] = $changes['parent_id'];
        }
        $wpdb->update($table, $row, ['id' => $this->id]);
        unset($changes['status'], $changes['parent_id']);
        if ($changes !== []) {
            $wpdb->query($wpdb->prepare("UPDATE {$table} SET fields = JSON_MERGE_PATCH(fields, %s) WHERE id = %d", wp_json_encode($changes), $this->id));
        }
        $this->save_meta_data();
        $this->data = array_merge($this->data, $this->changes);
        $this->changes = [];
        wc_get_container()->get(OrderCache::class)->remove($this->id);
        do_action("woocommerce_after_{$this->object_type}_object_save", $this, null);
        return $this->id;
    }

    /** @return bool false where a plugin keeps it, as of WooCommerce 8.1 */
    public function delete(bool $isForced = false): bool
    {
        global $wpdb;
        $check = apply_filters("woocommerce_pre_delete_{$this->object_type}", null, $this, $isForced);
        if ($check !== null) {
            return (bool) $check;
        }
        $wpdb->delete("{$wpdb->prefix}wc_orders", ['id' => $this->id]);
        $wpdb->delete("{$wpdb->prefix}wc_orders_meta", ['order_id' => $this->id]);
        wc_get_container()->get(OrderCache::class)->remove($this->id);
        $this->id = 0;
        return true;
    }

    protected function set(string $name, $value): void
    {
        if ($value === $this->data[$name]) {
            unset($this->changes[$name]);
            return;
        }
        $this->changes[$name] = $value;
    }
}

class WC_Order extends WC_Abstract_Order
{
    protected $status_transition = false;

    public function get_order_number(): string
    {
        return (string) apply_filters('woocommerce_order_number', $this->get_id(), $this);
    }

    public function get_items($types = 'line_item'): array
    {
        return array_map(static function (array $item): WC_Order_Item_Product {
            return new WC_Order_Item_Product($item);
        }, in_array('line_item', (array) $types, true) ? $this->__call('get_items', []) : []);
    }

    /** @param array{total?: string} $line its price, instead of the product's */
    public function add_product(WC_Product_Simple $product, int $quantity, array $line = []): void
    {
        $items = $this->__call('get_items', []);
        $items[] = ['name' => $product->name, 'quantity' => $quantity, 'total' => $line['total'] ?? (string) ($quantity * $product->price)];
        $this->set('items', $items);
    }

    public function remove_order_items(): void
    {
        $this->set('items', []);
    }

    public function calculate_totals(): void
    {
        $this->set_total(array_sum(array_column($this->__call('get_items', []), 'total')));
        $this->save();
    }

    public function get_line_total(WC_Order_Item_Product $item, bool $inclusive = false, bool $round = true): string
    {
        return $round ? wc_format_decimal($item->get_total(), wc_get_price_decimals()) : $item->get_total();
    }

    public function has_cart_hash(string $hash = ''): bool
    {
        return hash_equals((string) $this->__call('get_cart_hash', []), $hash);
    }

    /** Only money that was not seen yet is waited for. */
    public function needs_payment(): bool
    {
        return $this->has_status(['pending', 'failed']) && (float) $this->__call('get_total', []) > 0;
    }

    public function set_payment_method(WC_Payment_Gateway $gateway): void
    {
        $this->set('payment_method', $gateway->id);
        $this->set('payment_method_title', $gateway->get_title());
    }

    public function has_status($status): bool
    {
        return in_array($this->get_status(), (array) $status, true);
    }

    public function set_status(string $status, string $note = '', bool $isManual = false): array
    {
        $from = $this->get_status();
        $this->set('status', $status);
        if ($this->get_id() !== 0 && $from !== $status) {
            $this->status_transition = ['from' => $this->status_transition['from'] ?? $from, 'to' => $status, 'note' => $note];
        }
        return ['from' => $from, 'to' => $status];
    }

    public function update_status(string $status, string $note = ''): bool
    {
        $this->set_status($status, $note);
        $this->save();
        return true;
    }

    public function save(): int
    {
        parent::save();
        $transition = $this->status_transition;
        $this->status_transition = false;
        if ($transition !== false) {
            do_action("woocommerce_order_status_{$transition['to']}", $this->get_id(), $this, $transition);
            $this->add_order_note(trim("{$transition['note']} Order status changed from {$transition['from']} to {$transition['to']}."));
            do_action("woocommerce_order_status_{$transition['from']}_to_{$transition['to']}", $this->get_id(), $this);
            do_action('woocommerce_order_status_changed', $this->get_id(), $transition['from'], $transition['to'], $this);
        }
        return $this->get_id();
    }

    public function payment_complete(string $transactionId = ''): bool
    {
        if (!$this->has_status(apply_filters('woocommerce_valid_order_statuses_for_payment_complete', ['on-hold', 'pending', 'failed', 'cancelled'], $this))) {
            return false;
        }
        $this->set('transaction_id', $transactionId);
        $this->set('date_paid', $this->__call('get_date_paid', []) ?? time());
        $this->set_status(apply_filters('woocommerce_payment_complete_order_status', 'processing', $this->get_id(), $this));
        $this->save();
        do_action('woocommerce_payment_complete', $this->get_id(), $transactionId);
        return true;
    }

    public function add_order_note(string $text, int $isToCustomer = 0): int
    {
        global $wpdb;
        $wpdb->insert("{$wpdb->prefix}shop_notes", ['order_id' => $this->get_id(), 'customer_note' => $isToCustomer, 'content' => $text]);
        $noteId = (int) $wpdb->insert_id;
        if ($isToCustomer) {
            do_action('woocommerce_new_customer_note', ['order_id' => $this->get_id(), 'customer_note' => $text]);
        }
        return $noteId;
    }

    public function get_checkout_order_received_url(): string
    {
        return home_url("/?page=checkout&order-received={$this->get_id()}&key={$this->__call('get_order_key', [])}");
    }

    /** @param bool $isAfterCheckout the page of the method that was chosen there, else one with the choice */
    public function get_checkout_payment_url(bool $isAfterCheckout = false): string
    {
        $choice = $isAfterCheckout ? '' : '&pay_for_order=true';
        return home_url("/?page=checkout&order-pay={$this->get_id()}{$choice}&key={$this->__call('get_order_key', [])}");
    }

    public function get_view_order_url(): string
    {
        return home_url("/?page=account&view-order={$this->get_id()}&key={$this->__call('get_order_key', [])}");
    }

    /** @return WC_Order_Refund[] newest first */
    public function get_refunds(): array
    {
        global $wpdb;
        $query = "SELECT id FROM {$wpdb->prefix}wc_orders WHERE type = 'shop_order_refund' AND parent_order_id = %d ORDER BY id DESC";
        return array_map('wc_get_order', array_map('intval', $wpdb->get_col($wpdb->prepare($query, $this->get_id()))));
    }

    public function get_total_refunded(): float
    {
        return array_sum(array_map(static function (WC_Order_Refund $refund): float {
            return (float) $refund->get_amount();
        }, $this->get_refunds()));
    }

    public function get_remaining_refund_amount(): string
    {
        return wc_format_decimal($this->get_total() - $this->get_total_refunded(), wc_get_price_decimals());
    }
}

class WC_Order_Refund extends WC_Abstract_Order
{
    protected const TYPE = 'shop_order_refund';
    protected $object_type = 'order_refund';
}

/** As it was read first in this process: WooCommerce caches orders that live in tables of their own. @return WC_Order|WC_Order_Refund|false */
function wc_get_order($id)
{
    global $wpdb;
    $cache = wc_get_container()->get(OrderCache::class);
    $kept = $cache->get((int) $id);
    if ($kept !== null) {
        return $kept;
    }
    $type = $wpdb->get_var($wpdb->prepare("SELECT type FROM {$wpdb->prefix}wc_orders WHERE id = %d", $id));
    if ($type === null) {
        return false;
    }
    $order = $type === 'shop_order_refund' ? new WC_Order_Refund((int) $id) : new WC_Order((int) $id);
    $cache->set($order, (int) $id);
    return $order;
}

function wc_create_order(array $fields = []): WC_Order
{
    $order = new WC_Order();
    $order->set_created_via($fields['created_via'] ?? '');
    $order->set_order_key('wc_order_' . wp_generate_password(13, false));
    $order->set_status('pending');
    $order->save();
    return $order;
}

/**
 * Newest first, by status and fields, which are compared as text. Accounts have no orders here.
 *
 * @param array{limit: int, page?: int, status?: string[], customer?: array} $query customers by e-mail
 */
function wc_get_orders(array $query): array
{
    global $wpdb;
    $where = "type = 'shop_order'";
    $lists = ['billing_email' => array_values(array_filter($query['customer'] ?? [], 'is_string'))];
    $fields = array_diff_key($query, array_flip(['status', 'limit', 'page', 'type', 'customer', 'date_created', 'return']));
    foreach ($fields + array_filter($lists) as $name => $values) {
        $in = implode(', ', array_fill(0, count((array) $values), '%s'));
        $where .= $wpdb->prepare(" AND JSON_VALUE(fields, '$.{$name}') IN ({$in})", (array) $values);
    }
    if (isset($query['status'])) {
        $where .= " AND status IN ('wc-" . implode("', 'wc-", array_map('esc_sql', (array) $query['status'])) . "')";
    }
    $sql = $wpdb->prepare(' ORDER BY id DESC LIMIT %d OFFSET %d', $query['limit'], (($query['page'] ?? 1) - 1) * $query['limit']);
    $ids = $wpdb->get_col("SELECT id FROM {$wpdb->prefix}wc_orders WHERE {$where}{$sql}");
    return ($query['return'] ?? '') === 'ids' ? array_map('intval', $ids) : array_map('wc_get_order', array_map('intval', $ids));
}

function wc_get_order_notes(array $query): array
{
    global $wpdb;
    return $wpdb->get_results($wpdb->prepare("SELECT * FROM {$wpdb->prefix}shop_notes WHERE order_id = %d ORDER BY id DESC", $query['order_id']));
}

/** The job that gives up orders nobody has paid within the time that stock is held. */
function wc_cancel_unpaid_orders(): void
{
    global $wpdb;
    $minutes = (int) get_option('woocommerce_hold_stock_minutes');
    if ($minutes < 1 || get_option('woocommerce_manage_stock') !== 'yes') {
        return;
    }
    $before = gmdate('Y-m-d H:i:s', time() - 60 * $minutes);
    $query = "SELECT id FROM {$wpdb->prefix}wc_orders WHERE type = 'shop_order' AND status = 'wc-pending' AND date_updated_gmt < %s";
    foreach ($wpdb->get_col($wpdb->prepare($query, $before)) as $id) {
        $order = wc_get_order($id);
        if (apply_filters('woocommerce_cancel_unpaid_order', $order->get_created_via() === 'checkout', $order)) {
            $order->update_status('cancelled', 'Unpaid order cancelled - time limit reached.');
        }
    }
}
